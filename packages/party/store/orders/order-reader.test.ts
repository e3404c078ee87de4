import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestStore, putOrder, type TestStore, withResults } from '../store.fixture.ts'
import { createOrderReader } from './order-reader.ts'
import { findOrderSnapshots } from './orders.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

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
