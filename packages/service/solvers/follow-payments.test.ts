import { registry } from '@tandem/party/engine/engine.fixture.ts'
import { NOW, openTestStore, putOrder, type TestStore } from '@tandem/party/store/store.fixture.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { followPayments } from './follow-payments.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

test('the watch gets each order whose status changed since, and is called without one too', async () => {
  const { order: before } = await putOrder(store.db)
  await record(before.id)
  const seen: (readonly OrderState[])[] = []
  const follower = followPayments(
    { db: store.db, registry, log: createLogger({ name: 'test', level: 'silent' }), now: () => NOW, pollMs: 20 },
    (states) => seen.push(states),
  )
  await expect.poll(() => seen.length, { timeout: 60_000 }).toBeGreaterThan(1)
  expect(seen.flat()).toEqual([])
  const { order } = await putOrder(store.db)
  await record(order.id)
  await expect.poll(() => seen.flat().map((state) => state.order.id), { timeout: 60_000 }).toEqual([order.id])
  await follower.stop()
})

async function record(orderId: string): Promise<void> {
  await store.db.insertInto('order_events').values({ app: 'shop', order_id: orderId, status: 'initiated', at: new Date() }).execute()
}
