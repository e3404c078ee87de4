/** Tests how fast the sweep goes through all orders. */
import { beforeEach, expect, test } from 'vitest'
import { factsMark } from '../store/orders/facts-mark.ts'
import { insertOrders } from '../store/orders/insert-orders.ts'
import { findOrderSnapshots } from '../store/orders/orders.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { exampleOrder, NOW } from '../store/store.fixture.ts'
import { registry } from './engine.fixture.ts'
import { createSweeper } from './sweeper.ts'

const store = sharedStore()
let nowMs: number
beforeEach(() => {
  nowMs = 0
})

test('goes through few orders once a minute, and through many in pages: 100,000 in ten minutes', async () => {
  const { sweep } = createSweeper({ db: store.db, registry }, () => nowMs)
  const next = async () => {
    const inMs = await sweep(NOW)
    nowMs += inMs
    return inMs
  }
  expect([await next(), await next()]).toEqual([60_000, 60_000])
  const orders = Array.from({ length: 1500 }, () => ({ input: exampleOrder(), sealed: [] }))
  await insertOrders(store.db, orders)
  expect([await next(), await next()]).toEqual([6_000, 54_000])
  expect([await next(), await next()]).toEqual([6_000, 54_000])
  await store.db.deleteFrom('swaps').execute()
  await store.db.deleteFrom('orders').execute()
})

test('derives every active order of a full page again, fifty a round, although nothing is missing', async () => {
  const orders = Array.from({ length: 999 }, () => ({ input: exampleOrder(), sealed: [] }))
  await insertOrders(store.db, orders)
  const ids = orders.map(({ input }) => input.order.id)
  const signed = { kind: 'initiate', leg: 'source', consent: 'signature', signature: 's' } as const
  await store.db
    .insertInto('grants')
    .values(ids.map((order_id) => ({ order_id, ...signed })))
    .execute()
  const derived = (await findOrderSnapshots(store.db, ids)).map((snapshot) => ({
    order_id: snapshot.stored.order.id,
    clock: 'facts',
    since: factsMark(snapshot),
    until: null,
  }))
  await store.db.insertInto('order_clocks').values(derived).execute()
  await store.db.deleteFrom('touched_orders').execute()
  const { sweep } = createSweeper({ db: store.db, registry }, () => nowMs)
  const again = new Set<string>()
  for (let round = 0; round < 60; round += 1) {
    nowMs += await sweep(NOW)
    const touched = await store.db.deleteFrom('touched_orders').returning('order_id').execute()
    expect(touched).toHaveLength(50)
    for (const { order_id } of touched) again.add(order_id)
  }
  expect(again.size).toBe(ids.length)
})
