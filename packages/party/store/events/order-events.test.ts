/** Tests that each change of an order is one numbered event. */
import type { OrderStatus } from '@tandem/protocol/state.ts'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { createApp } from '../apps/apps.ts'
import type { Database } from '../database/database.ts'
import { insertOrder } from '../orders/insert-orders.ts'
import { exampleOrder, openTestStore } from '../store.fixture.ts'
import {
  EVENTS_KEPT_DAYS,
  numberEvents,
  oldestEventId,
  pruneEvents,
  readAppEvents,
  readNewEvents,
  readOrderEvents,
} from './order-events.ts'

const store = openedForEach(openTestStore)
beforeEach(async () => {
  await createApp(store.db, 'shop')
  await createApp(store.db, 'rival')
})

async function make(app: string): Promise<string> {
  const order = exampleOrder({ app, worth: { volumeUsdMicros: 1n, feeUsdMicros: 0n } })
  await insertOrder(store.db, order)
  return order.order.id
}

const setStatus = (db: Database, id: string, status: OrderStatus) =>
  db.updateTable('order_list').set({ status }).where('order_id', '=', id).execute()

test('an event that is committed late is not skipped: it gets its number then', async () => {
  const [slow, fast] = [await make('shop'), await make('shop')]
  const position = await numberEvents(store.db)
  await store.db.transaction().execute(async (tx) => {
    await setStatus(tx, slow, 'initiated')
    await setStatus(store.other, fast, 'initiated')
    const seen = await readNewEvents(store.other, position)
    expect(seen.map(({ orderId }) => orderId)).toEqual([fast])
  })
  const all = await readNewEvents(store.db, position)
  expect(all.map(({ orderId }) => orderId)).toEqual([fast, slow])
  expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort((a, b) => Number(a - b)))
})

test('a change is one event, in the order of the changes, for its order and its app; no change is none', async () => {
  const [mine, other, foreign] = [await make('shop'), await make('shop'), await make('rival')]
  for (const status of ['initiate_detected', 'initiate_detected', 'initiated', 'redeemed'] as const) await setStatus(store.db, mine, status)
  await setStatus(store.db, foreign, 'expired')
  const newest = await numberEvents(store.db)
  const ofOrder = await readOrderEvents(store.db, { orderId: mine, after: 0n })
  expect(ofOrder.map(({ status }) => status)).toEqual(['created', 'initiate_detected', 'initiated', 'redeemed'])
  const [ofShop, ofRival] = await Promise.all([
    readAppEvents(store.db, { app: 'shop', after: 0n }),
    readAppEvents(store.db, { app: 'rival', after: 0n }),
  ])
  expect(new Set(ofShop.map(({ orderId }) => orderId))).toEqual(new Set([mine, other]))
  expect(ofRival.map(({ status }) => status)).toEqual(['created', 'expired'])
  expect(await readOrderEvents(store.db, { orderId: mine, after: newest })).toEqual([])
})

test('two processes number each event once', async () => {
  const ids = [await make('shop'), await make('shop'), await make('shop')]
  await Promise.all(
    ids.flatMap((id, index) => {
      const db = index % 2 === 0 ? store.db : store.other
      return [setStatus(db, id, 'initiated'), numberEvents(store.db), numberEvents(store.other)]
    }),
  )
  await numberEvents(store.db)
  expect((await readNewEvents(store.db, 0n)).length).toBe(6)
})

test('old events are deleted, the newest number stays', async () => {
  await make('shop')
  await make('shop')
  const newest = await numberEvents(store.db)
  await sql`update order_events set at = now() - make_interval(days => ${EVENTS_KEPT_DAYS + 1})`.execute(store.db)
  expect(await pruneEvents(store.db)).toBe(false)
  expect([await oldestEventId(store.db), await numberEvents(store.db)]).toEqual([newest, newest])
})
