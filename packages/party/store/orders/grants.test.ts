/** Tests how grants, proposals of refunds and counts of signatures are stored. */
import { prefundedGrant, signedGrant } from '@tandem/protocol/grants.fixture.ts'
import type { InstantRefund } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { sharedStore } from '../shared-store.fixture.ts'
import { putOrder, type TestStore } from '../store.fixture.ts'
import { addGrant, addInstantRefunds, noteInstantRefundTransaction } from './grants.ts'
import { findOrder } from './orders.ts'
import { keepRefundProposals, readRefundProposals } from './refund-proposals.ts'
import { countSignings } from './signing-counts.ts'

const store = sharedStore()

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

const count = (name: string, signings: number) => countSignings(store.db, name, signings, 60)

/** The window of this name begins the interval ago. */
const age = (name: string, interval: string) =>
  sql`update signing_counts set ends_at = now() + interval '1 minute' - ${interval}::interval where name = ${name}`.execute(store.db)

test('adds up the signings of a window, also those that are counted at once, and tells when it ends', async () => {
  expect(await count('a', 3)).toMatchObject({ signings: 3 })
  const counted = await Promise.all(Array.from({ length: 10 }, () => count('a', 2)))
  expect(counted.map(({ signings }) => signings).sort((x, y) => x - y)).toEqual([5, 7, 9, 11, 13, 15, 17, 19, 21, 23])
  expect(await count('b', 1)).toMatchObject({ signings: 1 })
  await age('a', '40 seconds')
  const { signings, endsInMs } = await count('a', 1)
  expect(signings).toBe(24)
  expect(endsInMs).toBeGreaterThan(15_000)
  expect(endsInMs).toBeLessThanOrEqual(20_000)
})

test('a new window begins after the end of the old one, and old windows are deleted', async () => {
  await count('c', 5)
  await age('c', '61 seconds')
  expect(await count('c', 1)).toMatchObject({ signings: 1 })
  await age('c', '2 hours')
  expect(await count('c', 1)).toMatchObject({ signings: 1 })
  await age('c', '2 hours')
  await count('d', 1)
  expect(await store.db.selectFrom('signing_counts').select('name').where('name', '=', 'c').execute()).toEqual([])
})

let orderId: string
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
