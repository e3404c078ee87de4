/** Tests that concurrent orders share statements, for writes and for reads. */
import type { Order } from '@tandem/protocol/order.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { recordPoll, rewind } from '../chain/events.ts'
import { sharedStore } from '../shared-store.fixture.ts'
import { blockOf, deriveTouched, exampleOrder, NOW, putOrder, sightingsOf, withResults } from '../store.fixture.ts'
import type { NewOrder } from './insert-orders.ts'
import { createOrderReader } from './order-reader.ts'
import { createOrderWriter } from './order-writer.ts'
import { closeOrders, closeUnfundedOrders, findOrder, findOrderSnapshots } from './orders.ts'

const store = sharedStore()

const isThere = async ({ order }: NewOrder) => (await findOrder(store.db, order.id)) !== null

test('writes many concurrent orders in few statements, each with its own sealed values', async () => {
  let statements = 0
  const writer = createOrderWriter(withResults(store.db, () => (statements += 1)))
  const orders = Array.from({ length: 120 }, () => exampleOrder())
  const written = await Promise.all(
    orders.map((input, index) => writer.write({ input, sealed: [{ purpose: 'secret', sealed: Buffer.from(`secret ${index}`) }] })),
  )
  expect(written).toEqual(orders.map(() => true))
  expect(statements).toBeGreaterThan(0)
  // The first order is written alone, the others fifty at a time.
  expect(statements).toBeLessThanOrEqual(4)
  const sealedRows = await store.db.selectFrom('sealed_values').selectAll().execute()
  const sealedByOrder = new Map(sealedRows.map((row) => [row.order_id, row.sealed.toString()]))
  for (const [index, input] of orders.entries()) {
    expect((await findOrder(store.db, input.order.id))?.order).toEqual(input.order)
    expect(sealedByOrder.get(input.order.id)).toBe(`secret ${index}`)
  }
})

test('returns false for an order that exists already, without affecting the others', async () => {
  const writer = createOrderWriter(store.db)
  const secret = createSecret()
  const [first, second, repeated] = [exampleOrder({ secret }), exampleOrder(), exampleOrder({ secret })]
  const written = await Promise.all([first, second, repeated, second].map((input) => writer.write({ input, sealed: [] })))
  // The two may share a statement or not: exactly one of two equal orders is written.
  expect([written[0], written[2]].sort()).toEqual([false, true])
  expect([written[1], written[3]].sort()).toEqual([false, true])
  expect([await isThere(first), await isThere(repeated)]).toEqual([written[0], written[2]])
  expect(await isThere(second)).toBe(true)
})

test('an order that cannot be written fails alone and writes nothing', async () => {
  const writer = createOrderWriter(store.db)
  const orders = [exampleOrder(), exampleOrder(), exampleOrder()]
  const [good, bad, other] = orders as [NewOrder, NewOrder, NewOrder]
  const broken: NewOrder = { ...bad, order: { ...bad.order, source: { ...bad.order.source, requiredConfirmations: 0 } } }
  const results = await Promise.allSettled([good, broken, other].map((input) => writer.write({ input, sealed: [] })))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await Promise.all([good, broken, other].map(isThere))).toEqual([true, false, true])
  expect(await writer.write({ input: exampleOrder(), sealed: [] })).toBe(true)
})

describe('order reader', () => {
  const store = sharedStore()

  test('concurrent reads share few statements, and each gets its own order', async () => {
    let statements = 0
    const reader = createOrderReader(withResults(store.db, () => (statements += 1)))
    const ids = (await Promise.all(Array.from({ length: 60 }, () => putOrder(store.db)))).map(({ order }) => order.id)
    const asked = [...ids, 'unknown', ...ids.slice(0, 5)]
    const read = await Promise.all(asked.map((id) => reader.read(id)))
    expect(read.map((snapshot) => snapshot?.stored.order.id ?? null)).toEqual(asked.map((id) => (id === 'unknown' ? null : id)))
    expect(read[3]).toEqual((await findOrderSnapshots(store.db, [ids[3] ?? '']))[0])
    expect(statements).toBeGreaterThan(0)
    expect(statements).toBeLessThanOrEqual(3)
  })

  test('a read sees what was committed before it, also while another runs', async () => {
    const reader = createOrderReader(store.db)
    const [first, second] = [await putOrder(store.db), await putOrder(store.db)]
    const early = [reader.read(first.order.id), reader.read(first.order.id), reader.read(second.order.id)]
    const { order } = await putOrder(store.db)
    expect((await reader.read(order.id))?.stored.order.id).toBe(order.id)
    expect((await Promise.all(early)).every((snapshot) => snapshot !== null)).toBe(true)
  })

  test('a failed statement fails only its own reads, and the next one works', async () => {
    let broken = true
    const reader = createOrderReader(
      withResults(store.db, () => {
        if (broken) throw new Error('no database')
      }),
    )
    const { order } = await putOrder(store.db)
    const failed = await Promise.allSettled([reader.read(order.id), reader.read(order.id), reader.read(order.id)])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    broken = false
    expect((await reader.read(order.id))?.stored.order.id).toBe(order.id)
  })
})

describe('close race', () => {
  const store = sharedStore()
  let order: Order
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
    // This pauses the watcher after it has written the event, before it commits.
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
})
