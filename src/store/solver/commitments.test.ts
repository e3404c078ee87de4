import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestStore, putOrder, type TestStore } from '../store.fixture.ts'
import { commitTo, isCommittedTo } from './commitments.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

test.each([
  ['locked', 'refund_signed'],
  ['refund_signed', 'locked'],
] as const)('who went %s can do so again, and never go %s', async (way, otherWay) => {
  const { order } = await putOrder(store.db)
  expect(await isCommittedTo(store.db, order.id, way)).toBe(false)
  expect(await commitTo(store.db, order.id, way)).toBe(true)
  expect(await isCommittedTo(store.db, order.id, way)).toBe(true)
  expect(await isCommittedTo(store.db, order.id, otherWay)).toBe(false)
  expect(await commitTo(store.other, order.id, otherWay)).toBe(false)
  expect(await commitTo(store.db, order.id, way)).toBe(true)
})

test('each order goes its own way', async () => {
  const [one, two] = [await putOrder(store.db), await putOrder(store.db)]
  expect(await commitTo(store.db, one.order.id, 'locked')).toBe(true)
  expect(await commitTo(store.db, two.order.id, 'refund_signed')).toBe(true)
})

test('of both ways at once exactly one is gone', async () => {
  for (let round = 0; round < 10; round++) {
    const { order } = await putOrder(store.db)
    const [locked, lockedToo, signed] = await Promise.all([
      commitTo(store.db, order.id, 'locked'),
      commitTo(store.other, order.id, 'locked'),
      commitTo(store.other, order.id, 'refund_signed'),
    ])
    expect(locked).toBe(lockedToo)
    expect(signed).toBe(!locked)
  }
})

test('an order that does not exist goes no way', async () => {
  await expect(commitTo(store.db, 'unknown', 'locked')).rejects.toThrow('commitments_order_id_fkey')
})
