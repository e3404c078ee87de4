/** Tests the auction with solvers that hang, lie or are slow. */
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterEach, expect, test } from 'vitest'
import { quoteOf, refuse } from '../testing/fake-solver.fixture.ts'
import { aliceScript, btc, orderBody, sharedService, wbtc } from '../testing/service.fixture.ts'

/** A hanging solver costs this time. On a busy machine an answer may take seconds. */
const BUDGET_MS = 5_000

const service = sharedService({ environment: 'local', quoteBudgetMs: BUDGET_MS, maxQuoteDeviationBips: 300 })
afterEach(() => service.reset())

let amount = 1_000_000
/** The amount differs each time, so that no earlier auction answers. */
const quote = async () => {
  amount += 1
  const { body } = await service.call('GET', `/v2/quote?from=${btc}&to=${wbtc}&from_amount=${amount}`)
  return (body.result as { solver_id: string; destination: { amount: string } }[] | null)?.map(({ solver_id }) => solver_id) ?? body.code
}
const order = async (more: object = {}) => {
  const base = orderBody(btc, wbtc)
  const { body } = await service.call('POST', '/v2/orders', { body: { ...base, ...more } })
  if (body.result === null) return body.code
  return (await findOrder(service.db, (body.result as { order_id: string }).order_id))?.order.solverId
}
const betterBy = (id: string, units: bigint) => (request: Parameters<typeof quoteOf>[1]) => {
  const honest = quoteOf(id, request)
  return { status: 200, body: { ...honest, destination_amount: (BigInt(honest.destination_amount) + units).toString() } }
}

test('a solver that hangs costs one budget; after three times nobody waits for it, and it comes back by itself', async () => {
  let release = () => {}
  service.secondSolver.delay = new Promise((resolve) => {
    release = resolve
  })
  for (let times = 0; times < 4; times++) expect(await quote()).toEqual(['first'])
  expect(service.secondSolver.quoted).toHaveLength(3)
  expect(service.logged.join('')).toContain('not asked for a while')

  release()
  service.secondSolver.delay = Promise.resolve()
  service.world.nowMs += 1_000
  // This is the trial, which may or may not be in time for this quote.
  await quote()
  await expect.poll(quote).toEqual(['first', 'second'])
})

test('a solver that answers garbage is not asked any more after three answers', async () => {
  service.secondSolver.onQuote = () => ({ status: 200, body: '{"solver_id": ["garbage' })
  for (let times = 0; times < 6; times++) expect(await quote()).toEqual(['first'])
  expect(service.secondSolver.quoted).toHaveLength(3)
})

test('a price that is far from that of the service is a lie, also if it is good for the user', async () => {
  service.secondSolver.onQuote = betterBy('second', 25_000n)
  expect(await quote()).toEqual(['second', 'first'])
  for (const units of [60_000n, -60_000n]) {
    service.secondSolver.onQuote = betterBy('second', units)
    expect(await quote()).toEqual(['first'])
  }
  expect(service.logged.join('')).toMatch(/bips above ours/)
})

test('if nobody answers in time, a late answer is taken', async () => {
  service.secondSolver.onQuote = () => ({ status: 200, body: 'garbage' })
  service.solver.delay = new Promise((resolve) => setTimeout(resolve, BUDGET_MS + 100))
  expect(await quote()).toEqual(['first'])
})

const notServed = () => refuse('unsupported_pair', 'this solver has no price for this pair')
const ask = async () => {
  amount += 1
  return service.call('GET', `/v2/quote?from=${btc}&to=${wbtc}&from_amount=${amount}`)
}

test('while a solver that may serve the pair is silent, the refusal of another is not relayed: 503 with Retry-After', async () => {
  service.secondSolver.onQuote = notServed
  service.solver.onQuote = () => 'hang up'
  for (let times = 0; times < 5; times++) {
    const { status, body, headers } = await ask()
    expect({ status, code: body.code, error: body.error }).toEqual({
      status: 503,
      code: 'chain_unavailable',
      error: 'a solver that may serve this pair does not answer at the moment; try again',
    })
    expect(headers.get('retry-after')).toBe('2')
  }
  service.solver.onOrder = () => 'hang up'
  service.secondSolver.onOrder = notServed
  const made = await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
  expect(made).toMatchObject({ status: 503, body: { code: 'chain_unavailable' } })
})

test('a solver that is only slow is waited for, as if nobody else had answered', async () => {
  service.secondSolver.onQuote = notServed
  service.solver.delay = new Promise((resolve) => setTimeout(resolve, BUDGET_MS + 100))
  expect(await quote()).toEqual(['first'])
})

test('a refusal is relayed when every solver that serves the pair refused; the silence of one that is known not to serve it does not count', async () => {
  service.secondSolver.onQuote = notServed
  service.solver.onQuote = () => refuse('insufficient_liquidity', 'nothing left')
  expect(await ask()).toMatchObject({ status: 400, body: { code: 'insufficient_liquidity' } })
  service.secondSolver.onQuote = () => 'hang up'
  expect(await ask()).toMatchObject({ status: 400, body: { code: 'insufficient_liquidity' } })
  service.world.nowMs += 600_001
  expect(await ask()).toMatchObject({ status: 503 })
  service.secondSolver.onQuote = notServed
  service.solver.onQuote = notServed
  await expect.poll(async () => (await ask()).body.code).toBe('unsupported_pair')
})

test('a temporary problem of one solver counts more than the refusal of another', async () => {
  service.secondSolver.onQuote = () => refuse('chain_unavailable', 'ethereum_localnet is not reachable')
  service.solver.onQuote = () => refuse('amount_out_of_range', 'too little')
  expect(await ask()).toMatchObject({ status: 503, body: { error: 'ethereum_localnet is not reachable' } })
})

test('a refusal is an answer: the solver is asked again', async () => {
  service.secondSolver.onQuote = () => refuse('insufficient_liquidity', 'nothing left')
  for (let times = 0; times < 5; times++) expect(await quote()).toEqual(['first'])
  expect(service.secondSolver.quoted).toHaveLength(5)
})

test('the better of two equal quotes is that of the solver that failed less', async () => {
  expect(await quote()).toEqual(['first', 'second'])
  service.solver.onQuote = () => 'hang up'
  await quote()
  service.solver.onQuote = (request) => ({ status: 200, body: quoteOf('first', request) })
  expect(await quote()).toEqual(['second', 'first'])
})

test('an order after a quote asks for no second auction, and the best bidder takes it', async () => {
  service.secondSolver.onQuote = betterBy('second', 5n)
  await service.call('GET', `/v2/quote?from=${btc}&to=${wbtc}&from_amount=1000000`)
  expect(await order()).toBe('second')
  expect(service.solver.quoted).toHaveLength(1)
  expect(service.secondSolver.quoted).toHaveLength(1)
  expect(service.solver.ordered).toHaveLength(0)

  // The quotes have expired meanwhile, so there is a new auction.
  service.world.now += 61n
  expect(await order()).toBe('second')
  expect(service.solver.quoted).toHaveLength(2)

  // Other fees mean other prices.
  await order({ affiliate_fees: [{ address: aliceScript, fee: 5 }] })
  expect(service.solver.quoted).toHaveLength(3)

  // The client keeps the secret, and the price must reflect that.
  await order({ secret_hash: hashSecret(createSecret()) })
  expect(service.solver.quoted.map(({ client_secret }) => client_secret)).toEqual([undefined, undefined, undefined, true])
})

test('an indicative quote answers no order', async () => {
  await service.call('GET', `/v2/quote?from=${btc}&to=${wbtc}&from_amount=1000000&indicative=true`)
  await order()
  expect(service.solver.quoted).toHaveLength(2)
})

test('a solver that declines what it quoted loses the order to the next, and after three times is not asked any more', async () => {
  const { solver, secondSolver } = service
  secondSolver.onQuote = betterBy('second', 5n)
  secondSolver.onOrder = () => refuse('insufficient_liquidity', 'nothing left')
  for (let times = 0; times < 4; times++) expect(await order()).toBe('first')
  expect(secondSolver.ordered).toHaveLength(3)
  expect(solver.ordered).toHaveLength(4)
  expect(await quote()).toEqual(['first'])
  service.world.nowMs += 5_000
  expect(await quote()).toEqual(['second', 'first'])
})

test.each(['conflict', 'chain_unavailable', 'invalid_address'])(
  'a refusal with %s is about this user or this moment: it is not held against the solver',
  async (code) => {
    service.secondSolver.onQuote = betterBy('second', 5n)
    service.secondSolver.onOrder = () => refuse(code, 'not for you')
    for (let times = 0; times < 4; times++) await order()
    expect(service.secondSolver.ordered).toHaveLength(4)
  },
)

test('an order that asks for more than was quoted says nothing about the solver, whatever its slippage', async () => {
  service.secondSolver.onQuote = betterBy('second', 5n)
  service.secondSolver.onOrder = () => refuse('price_moved', 'less now')
  const base = orderBody(btc, wbtc)
  for (let times = 0; times < 4; times++) await order({ slippage: 500, destination: { ...base.destination, amount: '1020000' } })
  expect(service.secondSolver.ordered).toHaveLength(4)
})

test.each([
  ['an error', { status: 500, body: { code: 'internal', message: 'broken' } }],
  ['garbage', { status: 200, body: '{"solver_id": ["garbage' }],
])('a solver that quotes well and answers orders with %s is left out, however many quotes it answers', async (_what, answer) => {
  service.secondSolver.onQuote = betterBy('second', 5n)
  service.secondSolver.onOrder = () => answer
  for (let times = 0; times < 4; times++) {
    await quote()
    expect(await order()).toBe('first')
  }
  expect(service.secondSolver.ordered).toHaveLength(3)
})

test('a forced solver is asked alone, also while others do not ask it', async () => {
  service.secondSolver.onQuote = () => ({ status: 200, body: 'garbage' })
  for (let times = 0; times < 4; times++) await quote()
  expect(await order({ solver_id: 'second' })).toBe('second')
  expect(service.solver.ordered).toHaveLength(0)
  expect(service.secondSolver.quoted).toHaveLength(3)
})
