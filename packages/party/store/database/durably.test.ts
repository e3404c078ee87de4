import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestStore, putOrder, type TestStore } from '../store.fixture.ts'
import { durably } from './durably.ts'

let store: TestStore
beforeAll(async () => {
  store = await openTestStore()
})
afterAll(() => store.close())

const synchronous = async (db: TestStore['db']) =>
  (await sql<{ synchronous_commit: string }>`show synchronous_commit`.execute(db)).rows[0]?.synchronous_commit

test('waits for the disk even if the server default does not, and only inside the transaction', async () => {
  await store.db.connection().execute(async (connection) => {
    await sql`set synchronous_commit = off`.execute(connection)
    expect(await durably(connection, synchronous)).toBe('on')
    expect(await synchronous(connection)).toBe('off')
    await sql`reset synchronous_commit`.execute(connection)
  })
})

test('is all or nothing', async () => {
  const { order } = await putOrder(store.db)
  const failing = durably(store.db, async (tx) => {
    await tx.insertInto('commitments').values({ order_id: order.id, way: 'locked' }).execute()
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await store.db.selectFrom('commitments').selectAll().execute()).toEqual([])
})
