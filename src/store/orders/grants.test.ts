import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestStore, putOrder, type TestStore } from '../store.fixture.ts'
import { addGrant, addInstantRefunds, noteInstantRefundTransaction } from './grants.ts'
import { findOrder } from './orders.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

const grantsOf = async (id: string) => (await findOrder(store.db, id))?.grants
const refundOf = (deposit: string, pays: bigint) => ({ deposit, amount: 2n ** 70n, to: 'the user', pays, signature: `by ${pays}` })

test('the first of a kind stands, and whoever gave it knows', async () => {
  const { order } = await putOrder(store.db)
  expect(await addGrant(store.db, order.id, { kind: 'initiate', signature: 'first' })).toBe(true)
  expect(await addGrant(store.other, order.id, { kind: 'initiate', signature: 'second' })).toBe(false)
  expect(await addGrant(store.db, order.id, { kind: 'redeem' })).toBe(true)
  expect(await addGrant(store.db, order.id, { kind: 'redeem' })).toBe(false)
  expect(await grantsOf(order.id)).toEqual([{ kind: 'initiate', signature: 'first' }, { kind: 'redeem' }])
})

test('instant refunds are added for deposits that have none, whoever comes at the same time', async () => {
  const { order } = await putOrder(store.db)
  const add = (db: TestStore['db'], ...refunds: ReturnType<typeof refundOf>[]) =>
    db.transaction().execute((tx) => addInstantRefunds(tx, order.id, refunds))
  await add(store.db, refundOf('a', 1n))
  await Promise.all([
    add(store.db, refundOf('a', 2n), refundOf('b', 2n)),
    add(store.other, refundOf('c', 3n)),
    add(store.other, refundOf('d', 4n)),
  ])
  const [grant] = (await grantsOf(order.id)) ?? []
  if (grant?.kind !== 'instant-refund') throw new Error('no such grant')
  expect(grant.transaction).toBe(null)
  expect(grant.refunds[0]).toEqual(refundOf('a', 1n))
  expect(grant.refunds.map(({ deposit, pays }) => `${deposit} ${pays}`).toSorted()).toEqual(['a 1', 'b 2', 'c 3', 'd 4'])
  await noteInstantRefundTransaction(store.db, order.id, 'raw')
  expect(await grantsOf(order.id)).toEqual([{ ...grant, transaction: 'raw' }])
})

test('a secret that the client keeps is marked as such', async () => {
  const [kept, made] = [await putOrder(store.db, { clientSecret: true }), await putOrder(store.db)]
  expect((await findOrder(store.db, kept.order.id))?.clientSecret).toBe(true)
  expect((await findOrder(store.db, made.order.id))?.clientSecret).toBe(false)
})
