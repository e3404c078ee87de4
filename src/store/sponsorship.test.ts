import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { leaseAction, recordAttempt, syncWanted } from './actions.ts'
import { createApp } from './apps.ts'
import { addGrant } from './grants.ts'
import { findOrder } from './orders.ts'
import { addSponsoredInitiate } from './sponsorship.ts'
import { NOW, openTestStore, putOrder, type TestStore } from './store-fixture.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
  for (const name of ['shop', 'rival', 'free']) await createApp(store.db, name)
})
afterAll(() => store.close())

const newOrder = async (app: string) => (await putOrder(store.db, { app })).order.id
const grant = async (app: string, perDay: number | null, orderId?: string, db = store.db) =>
  addSponsoredInitiate(db, orderId ?? (await newOrder(app)), 'signed', { app, perDay })
const isGranted = async (id: string) => (await findOrder(store.db, id))?.grants.length === 1
const age = (id: string, span: string) =>
  sql`update grants set created_at = now() - ${span}::interval where order_id = ${id}`.execute(store.db)

test('so many in 24 hours, by each app for itself, and it says when there is room again', async () => {
  const [first, second, third] = [await newOrder('shop'), await newOrder('shop'), await newOrder('shop')]
  expect([await grant('shop', 2, first), await grant('shop', 2, second)]).toEqual([null, null])
  await age(first, '23 hours 59 minutes')
  await age(second, '1 hour')
  expect(await grant('shop', 2, third)).toSatisfy((seconds: number) => seconds > 50 && seconds <= 60)
  expect(await isGranted(third)).toBe(false)
  expect(await grant('shop', 1, third)).toSatisfy((seconds: number) => seconds > 22 * 3600)
  expect(await grant('rival', 1)).toBe(null)
  await age(first, '24 hours')
  expect(await grant('shop', 2, third)).toBe(null)
  expect(await isGranted(third)).toBe(true)
})

test('what is granted already costs nothing more, and its later signature counts', async () => {
  const id = await newOrder('rival')
  await grant('rival', null, id)
  expect(await addSponsoredInitiate(store.db, id, 'signed anew', { app: 'rival', perDay: 1 })).toBe(null)
  expect((await findOrder(store.db, id))?.grants).toEqual([{ kind: 'initiate', signature: 'signed anew' }])
})

test('two at once do not take the same last place', async () => {
  const ids = await Promise.all(Array.from({ length: 6 }, () => newOrder('free')))
  const answers = await Promise.all(ids.map((id, index) => grant('free', 3, id, index % 2 === 0 ? store.db : store.other)))
  expect(answers.filter((seconds) => seconds === null)).toHaveLength(3)
})

test('a place is free again when nothing was sent for it in time', async () => {
  await createApp(store.db, 'late')
  const id = (await putOrder(store.db, { app: 'late', deadline: 1n })).order.id
  await grant('late', 1, id)
  expect(await grant('late', 1)).toBe(null)
  await sql`delete from grants where sponsor = 'late' and order_id <> ${id}`.execute(store.db)
  await syncWanted(store.db, [id], [{ orderId: id, leg: 'source', verb: 'initiate' }])
  const leased = await leaseAction(store.db, 'engine', 60)
  const attempt = { tx: 'tx', raw: 'raw', slots: [], feeRate: 1n, at: NOW, chain: 'chain', sender: 'relay', releasesSecret: false }
  expect(await recordAttempt(store.db, leased === null ? [] : [leased], attempt)).toBe(true)
  expect(await grant('late', 1)).toBeGreaterThan(86_000)
})

test('what needs no sponsor takes no place', async () => {
  const id = await newOrder('free')
  await sql`delete from grants where sponsor = 'free'`.execute(store.db)
  await addGrant(store.db, id, { kind: 'initiate', signature: 'paid' })
  expect(await grant('free', 1)).toBe(null)
})
