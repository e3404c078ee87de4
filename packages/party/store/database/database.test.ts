import { readdir } from 'node:fs/promises'
import { Socket } from 'node:net'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { createTestDatabase } from '../../../../test/database.ts'
import { NOW, openTestStore, putOrder } from '../store.fixture.ts'
import { openDatabase } from './database.ts'

const migrationFiles = async () =>
  (await readdir(new URL('../migrations/', import.meta.url))).filter((name) => name.endsWith('.sql')).sort()

test('processes that start concurrently migrate once, and a later start changes nothing', async () => {
  const database = await createTestDatabase('empty')
  const together = await Promise.all(Array.from({ length: 4 }, () => openDatabase(database.url)))
  const [first] = together
  if (first === undefined) throw new Error('nothing was opened')
  const applied = () => first.selectFrom('migrations').selectAll().orderBy('name').execute()
  const before = await applied()
  expect(before.map((row) => row.name)).toEqual(await migrationFiles())
  await putOrder(first)
  const later = await openDatabase(database.url)
  expect(await applied()).toEqual(before)
  expect(await later.selectFrom('orders').select('id').execute()).toHaveLength(1)
  await Promise.all([...together, later].map((db) => db.destroy()))
  await database.drop()
})

test('a failed migration is rolled back and reported', async () => {
  const database = await createTestDatabase()
  const db = await openDatabase(database.url)
  const [baseline] = await migrationFiles()
  if (baseline === undefined) throw new Error('there is no migration')
  // The first file is applied again. Its first table is made, and the second one exists.
  await db.deleteFrom('migrations').where('name', '=', baseline).execute()
  await sql`alter table database_owner rename to elsewhere`.execute(db)
  await expect(openDatabase(database.url)).rejects.toThrow('relation "release_logs" already exists')
  await expect(sql`select * from database_owner`.execute(db)).rejects.toThrow('does not exist')
  expect((await db.selectFrom('migrations').select('name').execute()).map((row) => row.name)).not.toContain(baseline)
  await db.destroy()
  await database.drop()
})

test('reads integers of any size as bigint', async () => {
  const store = await openTestStore()
  const most = 10n ** 77n + 1n
  const { order } = await putOrder(store.db, { deadline: NOW })
  await store.db.updateTable('swaps').set({ amount: most }).where('order_id', '=', order.id).execute()
  const rows = await store.db.selectFrom('swaps').select(['amount', 'timelock']).where('order_id', '=', order.id).orderBy('leg').execute()
  expect(rows).toEqual([
    { amount: most, timelock: 180n },
    { amount: most, timelock: 200n },
  ])
  await store.close()
})

test('a connection that dies in use fails only its own query', async () => {
  const store = await openTestStore()
  await expect(
    store.db.connection().execute(async (connection) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection)
      await sql`select pg_terminate_backend(${rows[0]?.pid}, 10000)`.execute(store.other)
      return sql`select 1`.execute(connection)
    }),
  ).rejects.toThrow()
  expect((await sql`select 1 as one`.execute(store.db)).rows).toEqual([{ one: 1 }])
  await store.close()
})

test('migrations are numbered uniquely and without gaps', async () => {
  const numbers = (await migrationFiles()).map((name) => Number(name.slice(0, 4)))
  expect(numbers).toEqual(numbers.map((_, index) => index + 1))
})

test('a connection to a server that is gone without a word fails within half a minute: otherwise its query would wait for ever', async () => {
  const keepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive')
  const database = await createTestDatabase()
  keepAlive.mockClear()
  const db = await openDatabase(database.url)
  // The runtime adds ten probes of one second. A pool of an earlier test may open a connection meanwhile: the rule holds for each.
  expect(keepAlive.mock.calls).not.toHaveLength(0)
  for (const [isOn, idleMs] of keepAlive.mock.calls) {
    expect(isOn).toBe(true)
    expect(idleMs).toBeGreaterThan(0)
    expect(idleMs).toBeLessThanOrEqual(20_000)
  }
  keepAlive.mockRestore()
  await db.destroy()
  await database.drop()
})
