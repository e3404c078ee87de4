import type { MemoryChain } from '@tandem/party/engine/chain.fixture.ts'
import { pollChain } from '@tandem/party/engine/watcher.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { openTestStore, sightingsOf, type TestStore } from '@tandem/party/store/store.fixture.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createInventory } from './inventory.ts'
import { acceptOrder } from './orders.ts'
import { btc, caller, openSolver, orderRequest, type TestSolver, wbtc } from './solver.fixture.ts'

let store: TestStore
let solver: TestSolver
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())
beforeEach(async () => {
  solver = await openSolver(store)
})

async function agree(): Promise<Order> {
  const request = orderRequest()
  await acceptOrder(solver.context, request, caller)
  const stored = await findOrder(store.db, request.order_id)
  if (stored === null) throw new Error('the order was not stored')
  return stored.order
}

const watch = async () => {
  for (const client of [solver.bitcoin, solver.ethereum]) await pollChain({ db: store.db, client, holder: 'me', onReorg: () => undefined })
}
const deposit = (chain: MemoryChain, { swapId, terms }: Order['source']) => chain.mine(sightingsOf(swapId).initiated(terms.amount))
const available = (asset: typeof wbtc | typeof btc = wbtc) => solver.context.inventory.available(asset)

test('the whole balance is available; unfunded orders reserve nothing', async () => {
  expect(await available()).toBe(10_000_000n)
  await agree()
  await watch()
  expect(await available()).toBe(10_000_000n)
})

test('a funded order reserves its amount of the destination asset until the destination is initiated', async () => {
  const order = await agree()
  await watch()
  deposit(solver.bitcoin, order.source)
  await watch()
  expect(await available()).toBe(9_020_000n)
  expect(await available(btc)).toBe(10_000_000n)
  deposit(solver.ethereum, order.destination)
  solver.hold(wbtc, 9_020_000n)
  await watch()
  expect(await available()).toBe(9_020_000n)
})

test('the available amount is never negative', async () => {
  const order = await agree()
  await watch()
  deposit(solver.bitcoin, order.source)
  await watch()
  solver.hold(wbtc, 1n)
  expect(await available()).toBe(0n)
})

test('a deposit of another amount than agreed reserves nothing', async () => {
  const order = await agree()
  await watch()
  solver.bitcoin.mine(sightingsOf(order.source.swapId).initiated((order.source.terms.amount * 9n) / 10n))
  await watch()
  expect(await available()).toBe(10_000_000n)
})

test('questions of the same moment share one answer, and a reservation always reads again', async () => {
  const { registry, clients, keys, now } = solver.context
  const inventory = createInventory({ db: store.db, registry, clients, keys, now, keepMs: 60_000 })
  const { id } = await agree()
  const balance = vi.spyOn(solver.ethereum, 'balance')
  expect(await Promise.all([inventory.available(wbtc), inventory.available(wbtc)])).toEqual([10_000_000n, 10_000_000n])
  solver.hold(wbtc, 1n)
  expect(await inventory.available(wbtc)).toBe(10_000_000n)
  expect(balance).toHaveBeenCalledTimes(1)
  expect(await inventory.reserve({ orderId: id, asset: wbtc, amount: 2n })).toBe(
    'too little of ethereum_localnet:wbtc is available: 1 of 2',
  )
})

test('what a coin needs for network fees is never quoted; half of it may be used for a deposit that is there', async () => {
  const { registry, clients, keys, now } = solver.context
  const keptForFees = (asset: string) => (asset === wbtc ? 1_000n : 0n)
  const inventory = createInventory({ db: store.db, registry, clients, keys, now, keepMs: 0, keptForFees })
  const [{ id: first }, { id: second }] = [await agree(), await agree()]
  solver.hold(wbtc, 2_000n)
  expect([await inventory.available(wbtc), await inventory.available(btc)]).toEqual([1_000n, 10_000_000n])
  expect((await inventory.list()).find(({ asset }) => asset === wbtc)).toMatchObject({ balance: 2_000n, available: 1_000n })
  expect(await inventory.reserve({ orderId: first, asset: wbtc, amount: 1_500n })).toBeNull()
  expect(await inventory.reserve({ orderId: second, asset: wbtc, amount: 1n })).toContain('too little')
  solver.hold(wbtc, 400n)
  expect(await inventory.available(wbtc)).toBe(0n)
})
