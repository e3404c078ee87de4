import { createSecret } from '@tandem/protocol/secret.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exampleOrder, openTestStore, type TestStore, withResults } from '../store.fixture.ts'
import type { NewOrder } from './insert-orders.ts'
import { createOrderWriter } from './order-writer.ts'
import { findOrder } from './orders.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

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
  // The first one alone, then fifty at a time.
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
  // They may share a statement or not: exactly one of two equal orders is written.
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
