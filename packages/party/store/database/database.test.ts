/** Tests connections, migrations and durable commits. */
import { readdir } from 'node:fs/promises'
import { Socket } from 'node:net'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { createTestDatabase } from '../../../../test/database.ts'
import { leaseEngine } from '../actions/engines.ts'
import { createVault } from '../orders/sealed-values.ts'
import { sharedStore } from '../shared-store.fixture.ts'
import { NOW, openTestStore, putOrder, type TestStore } from '../store.fixture.ts'
import { openDatabase } from './database.ts'
import { durably } from './durably.ts'
import { inspectDatabase } from './inspect-database.ts'
import { claimDatabase } from './owner.ts'

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
  // The first file is applied again: its first table is made, and the second one exists.
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

test('a connection to a server that disappeared silently fails within half a minute: otherwise its query would wait for ever', async () => {
  const keepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive')
  const database = await createTestDatabase()
  keepAlive.mockClear()
  const db = await openDatabase(database.url)
  // The runtime adds ten probes of one second. A pool of an earlier test may open a connection meanwhile, so the rule is checked for each.
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

describe('durably', () => {
  const store = sharedStore()

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
})

describe('inspect database', () => {
  const store = sharedStore()

  const engines = async () => (await inspectDatabase(store.url, 60_000)).engines

  test('counts the engines that live, and says whether orders need one', async () => {
    expect(await engines()).toEqual({ running: 0, hasOpenOrders: false })
    await putOrder(store.db)
    expect(await engines()).toEqual({ running: 0, hasOpenOrders: true })
    await leaseEngine(store.db, 'a', 60, null)
    await leaseEngine(store.db, 'dead', -1, null)
    expect(await engines()).toEqual({ running: 1, hasOpenOrders: true })
  })
})

describe('owner', () => {
  const service = { party: 'service', sealer: createVault('11'.repeat(32)), setting: 'vault_key' } as const
  const solver = { party: 'solver' } as const

  const store = openedForEach(openTestStore)

  test('the party that starts on it first owns it, again and again', async () => {
    for (let start = 0; start < 2; start++) await claimDatabase(store.db, service)
    await expect(claimDatabase(store.db, solver)).rejects.toThrow('names the database of a service, and this is a solver')
  })

  test('a service does not start on the database of a solver', async () => {
    for (let start = 0; start < 2; start++) await claimDatabase(store.db, solver)
    await expect(claimDatabase(store.db, service)).rejects.toThrow('names the database of a solver, and this is a service')
  })

  test('a service does not start with another vault key', async () => {
    await claimDatabase(store.db, service)
    const other = { ...service, sealer: createVault('22'.repeat(32)) }
    await expect(claimDatabase(store.db, other)).rejects.toThrow('vault_key is not the key that this database was made with')
    await claimDatabase(store.db, service)
  })

  test('if two parties start at the same moment on one database, one of them starts', async () => {
    const starts = await Promise.allSettled([claimDatabase(store.db, service), claimDatabase(store.db, solver)])
    expect(starts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })
})
