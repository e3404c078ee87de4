import type { Order } from '@tandem/protocol/order.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { recordPoll, rewind } from '../chain/events.ts'
import { blockOf, deriveTouched, NOW, openTestStore, putOrder, sightingsOf, type TestStore } from '../store.fixture.ts'
import { closeOrders, closeUnfundedOrders, findOrder } from './orders.ts'

let store: TestStore
let order: Order
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())
beforeEach(async () => {
  for (const table of ['events', 'blocks', 'swaps', 'orders', 'touched_orders'] as const) await store.db.deleteFrom(table).execute()
  order = (await putOrder(store.db, { deadline: NOW - 1000n })).order
  for (const { chain } of [order.source, order.destination])
    await recordPoll(store.db, { chain, after: null, blocks: [blockOf(1n)], events: [], unconfirmed: [] })
})

const isClosed = async () => (await findOrder(store.db, order.id))?.closed
const record = (height: bigint, events: Parameters<typeof recordPoll>[1]['events']) =>
  recordPoll(store.other, { chain: order.source.chain, after: blockOf(height - 1n), blocks: [blockOf(height)], events, unconfirmed: [] })

test('an order is not closed as unfunded while a watcher records its first deposit', async () => {
  const { chain, swapId } = order.source
  let proceed: () => void = () => undefined
  let hold: () => void = () => undefined
  const [proceeds, holds] = [new Promise<void>((resolve) => (proceed = resolve)), new Promise<void>((resolve) => (hold = resolve))]
  // Pauses the watcher after it has written the event, before it commits.
  const blocker = store.db.transaction().execute(async (tx) => {
    const { height, hash, parentHash: parent_hash, time } = blockOf(2n, 'blocker')
    await tx.insertInto('blocks').values({ chain, height, hash, parent_hash, time }).execute()
    hold()
    await proceeds
    throw new Error('roll back')
  })
  await holds
  const recorded = record(2n, [sightingsOf(swapId, blockOf(2n)).initiated()])
  await new Promise((resolve) => setTimeout(resolve, 200))
  const closing = closeUnfundedOrders(store.db, [order.id], 500n, [])
  await new Promise((resolve) => setTimeout(resolve, 200))
  proceed()
  await expect(blocker).rejects.toThrow('roll back')
  expect(await recorded).toEqual({ changed: true, finalHeight: null })
  await closing
  expect(await isClosed()).toBe(false)
})

test('an order is not closed if something was recorded about it since it was derived as finished', async () => {
  const { chain, swapId } = order.source
  await record(2n, [sightingsOf(swapId, blockOf(2n)).initiated()])
  await record(3n, [sightingsOf(swapId, blockOf(3n)).refunded()])
  const derive = () => deriveTouched(store.db)
  const close = () => closeOrders(store.db, [{ id: order.id, chains: [chain, order.destination.chain], deposits: 1 }], [])
  await derive()
  await rewind(store.other, chain, blockOf(2n))
  await close()
  expect(await isClosed()).toBe(false)
  await record(3n, [sightingsOf(swapId, blockOf(3n)).refunded()])
  await derive()
  await close()
  expect(await isClosed()).toBe(true)
})
