import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prefundedGrant, signedGrant } from '../../protocol/grants.fixture.ts'
import { openDatabase } from '../database/database.ts'
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

test('the migration converts grants from before consents had a kind', async () => {
  const old = await openTestStore()
  await sql`drop table grants`.execute(old.db)
  await sql`create table grants (
    order_id text not null references orders (id), kind text not null, signature text, refunds jsonb, transaction text, sponsor text,
    created_at timestamptz not null default now(), primary key (order_id, kind), check ((kind = 'initiate') = (signature is not null)))`.execute(
    old.db,
  )
  const grants = {
    signed: { row: sql`'initiate', '0x12', null`, means: signedGrant('0x12') },
    prefunded: { row: sql`'initiate', 'deposit until 1800003600', null`, means: prefundedGrant(1_800_003_600n) },
    secret: { row: sql`'redeem', null, null`, means: { kind: 'redeem', leg: 'destination' } },
    refund: {
      row: sql`'instant-refund', null, '[]'::jsonb`,
      means: { kind: 'instant-refund', leg: 'source', refunds: [], transaction: null },
    },
  }
  const orders = new Map<string, unknown>()
  for (const { row, means } of Object.values(grants)) {
    const { order } = await putOrder(old.db)
    await sql`insert into grants (order_id, kind, signature, refunds) select ${order.id}, ${row}`.execute(old.db)
    orders.set(order.id, means)
  }
  await old.db.deleteFrom('migrations').where('name', '=', '0011_consent.sql').execute()
  await (await openDatabase(old.url)).destroy()
  for (const [id, means] of orders) expect((await findOrder(old.db, id))?.grants).toEqual([means])
  await old.close()
})

test('stores whether the client keeps the secret', async () => {
  const [kept, made] = [await putOrder(store.db, { clientSecret: true }), await putOrder(store.db)]
  expect((await findOrder(store.db, kept.order.id))?.clientSecret).toBe(true)
  expect((await findOrder(store.db, made.order.id))?.clientSecret).toBe(false)
})
