/** Tests that bad solvers do not keep users from the quote of a good one. */
import { readFile } from 'node:fs/promises'
import { quoteOf, refuse, startFakeSolver } from '@tandem/service/testing/fake-solver.fixture.ts'
import { afterAll, afterEach, expect, test } from 'vitest'
import { tellStory } from './story.ts'

const story = await tellStory('ethereum_localnet', 'arbitrum_localnet')
const { services } = JSON.parse(await readFile(story.stack.configs.solverFile, 'utf8'))
const [liar, babbler] = [await startFakeSolver('liar', services[0].public_key), await startFakeSolver('babbler', services[0].public_key)]
await story.restart('service', ({ solvers }) => solvers.unshift(liar.listed, babbler.listed))
afterEach(() => [liar, babbler].map(({ reset }) => reset()))
afterAll(() => Promise.all([liar.close(), babbler.close()]))

/** A restarted service has forgotten the conduct of solvers. */
const restartService = () => story.restart('service')

const [from, to] = ['ethereum_localnet:usdc', 'arbitrum_localnet:usdc']
let amount = 300_000_000n
/** The amount differs each time, so that no cached answer is given. */
const quotes = async () => {
  amount += 1n
  const found = (await story.api.call('GET', `/quote?from=${from}&to=${to}&from_amount=${amount}`)) as {
    solver_id: string
    destination: { amount: string }
  }[]
  return { ids: found.map(({ solver_id }) => solver_id), best: found[0]?.destination.amount ?? '' }
}
const order = (asked: string, more: object = {}) =>
  story.api.createOrder({
    source: { asset: from, owner: story.ownerOf(from), amount: amount.toString() },
    destination: { asset: to, owner: story.ownerOf(to), amount: asked },
    slippage: 100,
    ...more,
  })

test('one solver answers garbage, one hangs up: the user gets the quote and the swap of the good one', async () => {
  babbler.onQuote = () => ({ status: 200, body: '{"destination_amount": "all of it' })
  liar.onQuote = () => 'hang up'
  const before = await story.balance(to)
  const { ids, best } = await quotes()
  expect(ids).toEqual(['local-solver'])
  const created = await order(best)
  for (let times = 0; times < 4; times++) expect((await quotes()).ids).toEqual(['local-solver'])
  expect(babbler.quoted).toHaveLength(3)

  await story.evm('ethereum_localnet').fund(created)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(done.solver_id).toBe('local-solver')
  expect(await story.balance(to)).toBe(before + BigInt(best))
})

test('a solver quotes the best price and claims to hold much, but declines each order: the next takes it, and the liar is left out', async () => {
  await restartService()
  babbler.onQuote = () => refuse('unsupported_pair', 'not here')
  liar.onQuote = (request) => ({
    status: 200,
    body: { ...quoteOf('liar', request), destination_amount: request.from_amount, fee_bips: 0, fixed_fee_usd_micros: '0' },
  })
  liar.onLiquidity = () => ({
    status: 200,
    body: {
      solver_id: 'liar',
      holdings: [{ asset: to, address: `0x${'5'.repeat(40)}`, balance: '9'.repeat(20), available: '9'.repeat(20) }],
    },
  })
  liar.onOrder = () => refuse('insufficient_liquidity', 'nothing left')
  const before = await story.balance(to)
  const taken: string[] = []
  for (let times = 0; times < 3; times++) {
    const { ids, best } = await quotes()
    expect(ids).toEqual(['liar', 'local-solver'])
    taken.push((await order(best)).order_id)
  }
  expect(liar.ordered).toHaveLength(3)
  const { ids } = await quotes()
  expect(ids).toEqual(['local-solver'])
  // An order that names the liar gets its refusal.
  await expect(order('290000000', { solver_id: 'liar' })).rejects.toMatchObject({ code: 'insufficient_liquidity' })

  const [created] = await Promise.all(taken.slice(0, 1).map((id) => story.api.call('GET', `/orders/${id}/funding`)))
  await story.evm('ethereum_localnet').fund(created as Parameters<ReturnType<typeof story.evm>['fund']>[0])
  const done = await story.untilStatus(taken[0] ?? '', 'counterparty_redeemed')
  expect(done.solver_id).toBe('local-solver')
  expect(await story.balance(to)).toBe(before + BigInt(done.destination_swap.amount))
})
