/** Tests that a writer does not overwrite a status that another transaction has just changed. */

import type { OrderStatus } from '@tandem/protocol/state.ts'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../apps/apps.ts'
import { derivingAlone } from '../orders/touched-orders.ts'
import { sharedStore } from '../shared-store.fixture.ts'
import { NOW, putOrder } from '../store.fixture.ts'
import { foldOrderCounts } from './order-counts.ts'
import { expireListed, noteStatus } from './order-list.ts'
import { countSettledOrders } from './settled-orders.ts'

const store = sharedStore()
beforeAll(async () => {
  await createApp(store.db, 'shop')
})

const listed = { app: 'shop', worth: { volumeUsdMicros: 1n, feeUsdMicros: 0n } } as const
const FAR = NOW + 10n ** 9n

async function statusOf(orderId: string): Promise<OrderStatus | undefined> {
  return (await store.db.selectFrom('order_list').select('status').where('order_id', '=', orderId).executeTakeFirst())?.status
}

/** Commits the status only when `other` waits for the row, and returns what `other` returns. */
async function whileChanging<T>(orderId: string, status: OrderStatus, other: () => Promise<T>): Promise<T> {
  let waiting: Promise<T> | null = null
  await store.db.transaction().execute(async (tx) => {
    await tx.updateTable('order_list').set({ status }).where('order_id', '=', orderId).execute()
    waiting = other()
    await expect
      .poll(async () => {
        const { rows } = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(store.db)
        return rows.length
      })
      .toBe(1)
  })
  if (waiting === null) throw new Error('nothing ran')
  return waiting
}

test('an order that gets its deposit at its deadline does not expire', async () => {
  const { id, source } = (await putOrder(store.db, listed)).order
  await whileChanging(id, 'initiate_detected', () => expireListed(store.db, [source.chain], FAR))
  expect(await statusOf(id)).toBe('initiate_detected')
  await store.db.updateTable('order_list').set({ status: 'created' }).where('order_id', '=', id).execute()
  await expireListed(store.db, [source.chain], FAR)
  expect(await statusOf(id)).toBe('expired')
})

test('a reader notes a status only over the one that it read, and has the order derived again', async () => {
  const { id: orderId } = (await putOrder(store.db, listed)).order
  await sql`delete from touched_orders`.execute(store.db)
  const touched = async () => (await sql`select from touched_orders where order_id = ${orderId}`.execute(store.db)).rows.length
  const stale = { orderId, known: 'created', status: 'initiate_detected' } as const
  expect(await whileChanging(orderId, 'redeemed', () => noteStatus(store.db, stale))).toBe(false)
  expect([await statusOf(orderId), await touched()]).toEqual(['redeemed', 0])
  expect(await noteStatus(store.db, { orderId, known: 'redeemed', status: 'counterparty_redeemed' })).toBe(true)
  expect([await statusOf(orderId), await touched()]).toEqual(['counterparty_redeemed', 1])
})

test('of two that derive an order alone, the second reads what the first wrote', async () => {
  const { id } = (await putOrder(store.db, listed)).order
  const read: (OrderStatus | undefined)[] = []
  let second: Promise<void> | null = null
  await derivingAlone(store.db, [id], async (tx) => {
    second = derivingAlone(store.db, [id], async (other) => {
      read.push((await other.selectFrom('order_list').select('status').where('order_id', '=', id).executeTakeFirst())?.status)
    })
    await tx.updateTable('order_list').set({ status: 'initiated' }).where('order_id', '=', id).execute()
  })
  await second
  expect(read).toEqual(['initiated'])
})

describe('settled orders', () => {
  const store = sharedStore()
  beforeAll(async () => {
    await createApp(store.db, 'shop')
    await createApp(store.db, 'rival')
  })

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

    await sql`update order_list set status = 'counterparty_initiated' where seq = 1`.execute(store.db)
    expect(await countSettledOrders(store.db)).toContainEqual({ solverId: 'first', completed: 1, refunded: 1 })

    await list(100_000, 'second', 'redeemed')
    await foldOrderCounts(store.db, 1)
    expect((await countSettledOrders(store.db)).filter(({ completed, refunded }) => completed + refunded > 0)).toEqual([
      { solverId: 'second', completed: 1, refunded: 0 },
    ])
  })
})
