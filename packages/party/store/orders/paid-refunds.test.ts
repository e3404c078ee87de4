/** Tests the budgets for refunds that the service pays for. */
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { leaseAction, syncWanted } from '../actions/actions.ts'
import { noteReverted } from '../actions/reverted-relays.ts'
import { createApp } from '../apps/apps.ts'
import { sharedStore } from '../shared-store.fixture.ts'
import { exampleOrder, NOW, putOrder, recordAttempt } from '../store.fixture.ts'
import { giveBackRefund, payForPayout, payForRefund, raiseRefundCost } from './paid-refunds.ts'

const store = sharedStore()
beforeEach(async () => {
  for (const table of ['paid_refunds', 'attempts', 'actions', 'swaps', 'orders', 'apps'] as const)
    await store.db.deleteFrom(table).execute()
  for (const name of ['shop', 'rival']) await createApp(store.db, name)
})

const budget = { ownerUsdMicros: 10n, appUsdMicros: 25n }
async function newOrder(initiator: string, app = 'shop'): Promise<string> {
  const { order } = exampleOrder()
  return (await putOrder(store.db, { app, source: { terms: { ...order.source.terms, initiator } } })).order.id
}
async function pay(id: string, usdMicros = 4n, db = store.db): Promise<string> {
  const payment = await payForRefund(db, id, usdMicros, budget)
  return payment.kind === 'refused' ? payment.whose : payment.kind
}
const age = (hours: number) => sql`update paid_refunds set created_at = now() - make_interval(hours => ${hours})`.execute(store.db)

test('an owner is paid for within a budget, and the first time in any case; an order counts once', async () => {
  const first = await newOrder('alice')
  expect([await pay(first, 12n), await pay(first, 12n)]).toEqual(['paid', 'paid before'])
  expect(await pay(await newOrder('alice'), 1n)).toBe('owner')
  expect(await pay(await newOrder('bob'))).toBe('paid')
  expect(await pay(await newOrder('bob'))).toBe('paid')
  expect(await pay(await newOrder('bob'))).toBe('owner')
})

test('an app is paid for within a budget, for all owners together', async () => {
  for (const owner of ['a', 'b', 'c', 'd', 'e', 'f']) expect(await pay(await newOrder(owner))).toBe('paid')
  const last = await newOrder('g')
  expect(await pay(last)).toBe('app')
  expect(await pay(await newOrder('g', 'rival'))).toBe('paid')
  await age(25)
  expect(await pay(last)).toBe('paid')
})

test('returns the time until the oldest is a day old', async () => {
  await pay(await newOrder('alice'), 10n)
  await age(23)
  const refusal = await payForRefund(store.db, await newOrder('alice'), 1n, budget)
  if (refusal.kind !== 'refused') throw new Error('it was paid')
  expect(refusal.whose).toBe('owner')
  expect(refusal.retryAfterSeconds).toBeGreaterThan(3_500)
  expect(refusal.retryAfterSeconds).toBeLessThanOrEqual(3_600)
})

test('the cost of a refund that was not signed is given back; a higher cost at sending counts for the next refund', async () => {
  const [first, second] = [await newOrder('alice'), await newOrder('alice')]
  await pay(first, 6n)
  expect(await pay(second, 6n)).toBe('owner')
  await giveBackRefund(store.db, first)
  expect(await pay(second, 2n)).toBe('paid')
  for (const cost of [9n, 3n]) await raiseRefundCost(store.db, second, cost)
  expect(await pay(first, 2n)).toBe('owner')
  expect(await pay(first, 1n)).toBe('paid')
})

test('each transaction that reverted counts as much as the next one: a contract can reject its refund again and again', async () => {
  const [first, second] = [await newOrder('alice'), await newOrder('alice')]
  await pay(first, 2n)
  await syncWanted(store.db, [first], [{ orderId: first, leg: 'source', verb: 'refund' }])
  const action = await leaseAction(store.db, 'engine', 60)
  if (action === null) throw new Error('no action is due')
  for (const tx of ['tx1', 'tx2', 'tx3']) {
    const attempt = { raw: tx, slots: [], feeRate: 1n, at: NOW, chain: 'ethereum_localnet', sender: 'relay', holdsSecret: false, tx }
    await recordAttempt(store.db, [action], attempt)
    await noteReverted(store.db, [action.key], tx)
  }
  for (let repeat = 0; repeat < 2; repeat += 1) await raiseRefundCost(store.db, first, 2n)
  expect(await pay(second, 3n)).toBe('owner')
  expect(await pay(second, 2n)).toBe('paid')
})

test('concurrent orders of one owner do not exceed the budget together', async () => {
  const orders = await Promise.all(Array.from({ length: 8 }, () => newOrder('alice')))
  const results = await Promise.all(orders.map((id, index) => pay(id, 4n, index % 2 === 0 ? store.db : store.other)))
  expect(results.filter((result) => result === 'paid')).toHaveLength(2)
})

const payout = (id: string, usdMicros: bigint) => payForPayout(store.db, id, usdMicros, budget)

test('the fee of a payout counts like a refund, and a fee bump counts in full', async () => {
  const first = await newOrder('alice')
  expect([await payout(first, 4n), await payout(first, 9n), await payout(first, 5n)]).toEqual([true, true, true])
  expect(await payout(await newOrder('alice'), 2n)).toBe(false)
  expect(await pay(await newOrder('alice'), 1n)).toBe('paid')
})

test("the first payout of an owner may exceed the owner's budget, not the app's", async () => {
  expect([await payout(await newOrder('alice'), 11n), await payout(await newOrder('alice'), 1n)]).toEqual([true, false])
  expect([await payout(await newOrder('bob'), 15n), await payout(await newOrder('bob'), 14n)]).toEqual([false, true])
})

test('a fee bump exceeds neither budget', async () => {
  const first = await newOrder('alice')
  expect([await payout(first, 1n), await payout(first, 11n), await payout(first, 10n)]).toEqual([true, false, true])
  for (const owner of ['bob', 'carol']) await payout(await newOrder(owner), 7n)
  const last = await newOrder('dave')
  expect([await payout(last, 1n), await payout(last, 2n), await payout(await newOrder('dave', 'rival'), 2n)]).toEqual([true, false, true])
})
