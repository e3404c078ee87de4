import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../apps/apps.ts'
import { openTestStore, type TestStore } from '../store.fixture.ts'
import { foldOrderCounts } from './order-counts.ts'
import { countSettledOrders } from './settled-orders.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
  await createApp(store.db, 'shop')
  await createApp(store.db, 'rival')
})
afterAll(() => store.close())

const list = (seq: number, solver: string, status: string, app = 'shop') =>
  sql`insert into order_list values (${seq}, ${`order ${seq}`}, ${app}, ${solver}, 'a', 'b', '', '', ${status}, 0, 0, 0, 0)`.execute(
    store.db,
  )

test('counts how recent orders of all apps ended, by solver, before and after the counters are folded', async () => {
  await list(1, 'first', 'redeemed')
  await list(2, 'first', 'counterparty_redeemed', 'rival')
  await list(3, 'first', 'refunded')
  await list(4, 'first', 'created')
  await list(5, 'second', 'awaiting_refund')
  const expected = expect.arrayContaining([
    { solverId: 'first', completed: 2, refunded: 1 },
    { solverId: 'second', completed: 0, refunded: 1 },
  ])
  expect(await countSettledOrders(store.db)).toEqual(expected)
  await foldOrderCounts(store.db, 1)
  expect(await countSettledOrders(store.db)).toEqual(expected)

  // A reorg takes an outcome back.
  await sql`update order_list set status = 'counterparty_initiated' where seq = 1`.execute(store.db)
  expect(await countSettledOrders(store.db)).toContainEqual({ solverId: 'first', completed: 1, refunded: 1 })

  await list(100_000, 'second', 'redeemed')
  await foldOrderCounts(store.db, 1)
  expect((await countSettledOrders(store.db)).filter(({ completed, refunded }) => completed + refunded > 0)).toEqual([
    { solverId: 'second', completed: 1, refunded: 0 },
  ])
})
