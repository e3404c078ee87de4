/** Tests which of three solvers takes an order. */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { signRequest } from '@tandem/party/solver-auth/sign.ts'
import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import type { OrderList } from '@tandem/protocol/wire/order-list.ts'
import { afterAll, expect, test } from 'vitest'
import { openStory } from './story.ts'

const story = await openStory({ chains: ['ethereum_localnet', 'arbitrum_localnet'], solvers: 3 })
afterAll(() => story.close())

const [from, to] = ['ethereum_localnet:usdc', 'arbitrum_localnet:usdc']
type Quote = { readonly solver_id: string; readonly destination: { readonly amount: string } }
type Liquidity = { readonly solver_id: string; readonly liquidity: readonly { readonly asset: string; readonly balance: string }[] }

const quotes = async (amount: bigint) => (await story.api.call('GET', `/quote?from=${from}&to=${to}&from_amount=${amount}`)) as Quote[]
const order = (amount: bigint, asked: string, more: object = {}) =>
  story.api.createOrder({
    source: { asset: from, owner: story.ownerOf(from), amount: amount.toString() },
    destination: { asset: to, owner: story.ownerOf(to), amount: asked },
    ...more,
  })
const solverOf = async (orderId: string) => (await story.until(orderId, 'the order', () => true)).solver_id
const holdings = async () => {
  const records = (await story.api.call('GET', '/liquidity')) as Liquidity[]
  return new Map(records.map(({ solver_id, liquidity }) => [solver_id, BigInt(liquidity.find(({ asset }) => asset === to)?.balance ?? 0)]))
}

test('the best of three takes the order and pays; what it cannot pay goes to the next best; a solver can be forced', async () => {
  const before = { user: await story.balance(to), solvers: await holdings() }
  const amount = 200_000_000n
  const asked = await quotes(amount)
  expect(asked.map(({ solver_id }) => solver_id)).toEqual(['cheap-solver', 'local-solver', 'large-solver'])
  const [best] = asked
  if (best === undefined) throw new Error('no quotes')

  const created = await order(amount, best.destination.amount)
  await story.evm('ethereum_localnet').fund(created)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  const paid = BigInt(done.destination_swap.amount)
  expect(done.solver_id).toBe('cheap-solver')
  expect(paid).toBe(BigInt(best.destination.amount))
  expect(await story.balance(to)).toBe(before.user + paid)

  // The cheap solver holds half of this.
  const much = 100_000_000_000n
  const [next] = await quotes(much)
  expect(next?.solver_id).toBe('local-solver')
  expect(await solverOf((await order(much, next?.destination.amount ?? '')).order_id)).toBe('local-solver')
  const forced = await order(amount, '190000000', { solver_id: 'large-solver' })
  expect(await solverOf(forced.order_id)).toBe('large-solver')

  await story.eventually('all balances to be read again', async () => {
    const now = await holdings()
    return (
      ['local-solver', 'large-solver'].every((id) => now.get(id) === before.solvers.get(id)) &&
      now.get('cheap-solver') === (before.solvers.get('cheap-solver') ?? 0n) - paid
    )
  })
})

test('a solver that signs with the key of its configuration gets its orders, and no others', async () => {
  const { solverFile, serviceFile } = story.stack.configs
  const readJson = async (file: string) => JSON.parse(await readFile(file, 'utf8'))
  const { solver_id: id, signing_key: ownKey } = await readJson(solverFile)
  const { solver_signing_key: serviceKey } = await readJson(serviceFile)
  const keyIn = async ({ file }: { readonly file: string }) =>
    createSigningKey((await readFile(join(dirname(solverFile), file), 'utf8')).trim())
  const { pathname } = new URL(story.info.base_url)
  const recipient = (await keyIn(serviceKey)).publicKey
  const ask = async (query: string) => {
    const target = `${pathname}/orders?${query}`
    const signed = signRequest(await keyIn(ownKey), { method: 'GET', target, body: '', recipient, waitMs: 5_000, nowMs: Date.now() })
    return fetch(new URL(target, story.info.base_url), { headers: { ...signed, 'service-app-id': story.info.app_id } })
  }
  const { result } = (await (await ask(`solver_id=${id}`)).json()) as { readonly result: OrderList }
  expect(result.data.map(({ solver_id }) => solver_id)).toEqual(['local-solver'])
  expect((await ask('solver_id=cheap-solver')).status).toBe(403)
})
