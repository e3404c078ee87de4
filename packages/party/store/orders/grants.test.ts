import { prefundedGrant, signedGrant } from '@tandem/protocol/grants.fixture.ts'
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

test('the first grant of a kind wins, and the caller learns whether it was the first', async () => {
  const { order } = await putOrder(store.db)
  expect(await addGrant(store.db, order.id, signedGrant('first'))).toBe(true)
  expect(await addGrant(store.other, order.id, signedGrant('second'))).toBe(false)
  expect(await addGrant(store.db, order.id, { kind: 'redeem', leg: 'destination' })).toBe(true)
  expect(await addGrant(store.db, order.id, { kind: 'redeem', leg: 'destination' })).toBe(false)
  expect(await grantsOf(order.id)).toEqual([signedGrant('first'), { kind: 'redeem', leg: 'destination' }])
})

test('concurrent calls add instant refunds for deposits that have none yet', async () => {
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

test('a prefunded grant is stored with its deadline and without a signature', async () => {
  const { order } = await putOrder(store.db)
  await addGrant(store.db, order.id, prefundedGrant(order.deadline))
  expect(await grantsOf(order.id)).toEqual([prefundedGrant(order.deadline)])
  const row = await store.db.selectFrom('grants').selectAll().where('order_id', '=', order.id).executeTakeFirstOrThrow()
  expect(row).toMatchObject({ leg: 'source', consent: 'prefunded', signature: null, deadline: order.deadline })
})

test('stores whether the client keeps the secret', async () => {
  const [kept, made] = [await putOrder(store.db, { clientSecret: true }), await putOrder(store.db)]
  expect((await findOrder(store.db, kept.order.id))?.clientSecret).toBe(true)
  expect((await findOrder(store.db, made.order.id))?.clientSecret).toBe(false)
})
