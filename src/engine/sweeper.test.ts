import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { insertOrders } from '../store/orders/insert-orders.ts'
import { exampleOrder, NOW, openTestStore, type TestStore } from '../store/store.fixture.ts'
import { registry } from './engine.fixture.ts'
import { createSweeper } from './sweeper.ts'

let store: TestStore
let nowMs: number
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())
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
