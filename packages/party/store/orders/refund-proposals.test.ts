import type { InstantRefund } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestStore, putOrder, type TestStore } from '../store.fixture.ts'
import { keepRefundProposals, readRefundProposals } from './refund-proposals.ts'

let store: TestStore
let orderId: string
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())
beforeEach(async () => {
  orderId = (await putOrder(store.db)).order.id
})

const refund = (deposit: string, pays: bigint, to = 'home'): InstantRefund => ({ deposit, amount: 10n ** 30n, to, pays })
const keep = (...refunds: readonly InstantRefund[]) => keepRefundProposals(store.db, orderId, refunds)
const read = () => readRefundProposals(store.db, orderId)

test('reads proposals as they were stored, of this order only', async () => {
  const { order: other } = await putOrder(store.db)
  expect(await read()).toEqual([])
  await keep(refund('b', 10n ** 29n), refund('a', 1n))
  expect(await read()).toEqual([refund('a', 1n), refund('b', 10n ** 29n)])
  expect(await readRefundProposals(store.db, other.id)).toEqual([])
})

test('keeps the first proposal of each deposit when fees move', async () => {
  await keep(refund('a', 90n))
  await keep(refund('a', 80n), refund('b', 70n))
  expect(await read()).toEqual([refund('a', 90n), refund('b', 70n)])
})

test('keeps the first of concurrent proposals', async () => {
  const prices = [90n, 80n, 70n, 60n]
  await Promise.all(
    prices.map((pays, index) => keepRefundProposals(index % 2 === 0 ? store.db : store.other, orderId, [refund('a', pays)])),
  )
  const first = await read()
  expect(first).toHaveLength(1)
  for (const pays of prices) await keep(refund('a', pays))
  expect(await read()).toEqual(first)
})

test('replaces a proposal for another address, and then keeps that one', async () => {
  await keep(refund('a', 90n), refund('b', 90n))
  await keep(refund('a', 80n, 'new home'))
  await keep(refund('a', 70n, 'new home'))
  expect(await read()).toEqual([refund('a', 80n, 'new home'), refund('b', 90n)])
})

test('replaces an expired proposal, so that no client can speculate on a better fee', async () => {
  await keep(refund('a', 90n))
  await sql`update refund_proposals set at = now() - interval '31 minutes' where order_id = ${orderId}`.execute(store.db)
  expect(await read()).toEqual([])
  await keep(refund('a', 80n))
  expect(await read()).toEqual([refund('a', 80n)])
})
