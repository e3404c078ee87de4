/** Who writes a status that another transaction has just changed does not overwrite it. */

import type { OrderStatus } from '@tandem/protocol/state.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../apps/apps.ts'
import { derivingAlone } from '../orders/touched-orders.ts'
import { NOW, openTestStore, putOrder, type TestStore } from '../store.fixture.ts'
import { expireListed, noteStatus } from './order-list.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
  await createApp(store.db, 'shop')
})
afterAll(() => store.close())

const listed = { app: 'shop', worth: { volumeUsdMicros: 1n, feeUsdMicros: 0n } } as const
const FAR = NOW + 10n ** 9n

async function statusOf(orderId: string): Promise<OrderStatus | undefined> {
  return (await store.db.selectFrom('order_list').select('status').where('order_id', '=', orderId).executeTakeFirst())?.status
}

/** Writes a status, commits it only when `other` waits for the row, and returns what `other` returns. */
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
