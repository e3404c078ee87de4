/** Tests how much of an asset is available for new orders. */
import type { MemoryChain } from '@tandem/party/engine/chain.fixture.ts'
import { pollChain } from '@tandem/party/engine/watcher.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { sightingsOf } from '@tandem/party/store/store.fixture.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { beforeEach, expect, test, vi } from 'vitest'
import { createInventory } from './inventory.ts'
import {
  createSoftReservations,
  holdersOfOrder,
  holdersOfQuote,
  ownOfOrder,
  ownOfQuote,
  promisedTo,
  type SoftReservations,
} from './soft-reservations.ts'
import { acceptedOrder, btc, freshSolver, wbtc } from './solver.fixture.ts'

const store = sharedStore()
const solver = freshSolver(store)

const agree = () => acceptedOrder(solver)

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

test('the part of a coin that is kept for network fees is never quoted; half of it may be used for a deposit that is there', async () => {
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

let now: bigint
let soft: SoftReservations
beforeEach(() => {
  now = 1000n
  soft = createSoftReservations(() => now)
})
const hold = (key: string, holder: string, amount: bigint, expiresAt = 1060n) =>
  soft.hold({ key, holders: [holder], asset: 'a:btc', amount, expiresAt })
const held = (holder: string, free = 1000n) => soft.heldByOthers('a:btc', [holder], free)

test('counts for others until it expires, and not for its holder', () => {
  hold('1', 'alice', 10n)
  hold('2', 'bob', 20n, 1100n)
  expect([held('alice'), held('bob'), held('carol'), soft.heldByOthers('a:eth', ['carol'], 1000n)]).toEqual([20n, 10n, 30n, 0n])
  now = 1060n
  expect(held('carol')).toBe(30n)
  now = 1061n
  expect(held('carol')).toBe(20n)
  now = 1101n
  expect(held('carol')).toBe(0n)
})

test('the same key replaces the earlier one', () => {
  hold('1', 'alice', 10n)
  hold('1', 'alice', 15n)
  expect(held('bob')).toBe(15n)
})

test('never takes more than half of what is free', () => {
  for (let n = 0; n < 100; n += 1) hold(`${n}`, `stranger ${n}`, 100n)
  expect([held('bob', 1000n), held('bob', 1n), held('bob', 0n)]).toEqual([500n, 0n, 0n])
})

test('remembers a bounded number: the oldest go first', () => {
  hold('first', 'alice', 1_000_000n)
  for (let n = 0; n < 10_000; n += 1) hold(`${n}`, 'bob', 1n)
  expect(held('bob', 10n ** 9n)).toBe(0n)
  expect(held('alice', 10n ** 9n)).toBe(10_000n)
})

test("a user's own quote and order are no obstacle, another user's order is", () => {
  const [alice, bob, elsewhere] = [
    { app: 'one', owner: 'alice' },
    { app: 'one', owner: 'bob' },
    { app: 'two', owner: 'alice' },
  ]
  soft.hold({ key: 'quote', holders: holdersOfQuote(alice), asset: 'a:btc', amount: 1n, expiresAt: 1060n })
  soft.hold({ key: 'order', holders: holdersOfOrder(alice), asset: 'a:btc', amount: 10n, expiresAt: 1060n })
  const order = (who: typeof alice) => soft.heldByOthers('a:btc', ownOfOrder(who), 1000n)
  const quote = (who: typeof alice) => soft.heldByOthers('a:btc', ownOfQuote(who), 1000n)
  expect([order(alice), order(bob), order(elsewhere)]).toEqual([0n, 10n, 11n])
  expect([quote(alice), quote(bob), quote(elsewhere)]).toEqual([0n, 0n, 11n])
})

test('orders without an owner have none in common; what is firm is not held any more', () => {
  const nobody = { app: 'one', owner: null }
  for (const key of ['1', '2']) soft.hold({ key, holders: holdersOfOrder(nobody), asset: 'a:btc', amount: 10n, expiresAt: 1060n })
  expect(soft.heldByOthers('a:btc', ownOfOrder(nobody), 1000n)).toBe(20n)
  expect(promisedTo(soft, 'a:btc', nobody)).toBe(0n)
  const alice = { app: 'one', owner: 'alice' }
  soft.hold({ key: '3', holders: holdersOfOrder(alice), asset: 'a:btc', amount: 5n, expiresAt: 1060n })
  expect([promisedTo(soft, 'a:btc', alice), promisedTo(soft, 'a:eth', alice)]).toEqual([5n, 0n])
  for (const key of ['3', '3', 'none']) soft.release(key)
  expect([promisedTo(soft, 'a:btc', alice), held('carol')]).toEqual([0n, 20n])
})
