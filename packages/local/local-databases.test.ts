import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded/embedded-postgres.ts'
import { openLocalDatabases } from './local-databases.ts'

let folder: string
let server: EmbeddedPostgres
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-databases-'))
  server = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), fresh: true })
})
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

async function ask(url: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

const open = async () => {
  const told: string[] = []
  const databases = await openLocalDatabases({ folder, solvers: 1, serverUrl: server.url, onProgress: (what) => void told.push(what) })
  return { databases, told }
}

test('on a server of the user: its own databases are emptied at each start, and it says so', async () => {
  const first = await open()
  expect(first.told).toEqual([])
  await ask(first.databases.serviceUrl, 'create table kept (id integer)')
  const { databases, told } = await open()
  expect(told).toEqual([expect.stringContaining('empties tandem_local_service'), expect.stringContaining('empties tandem_local_solver')])
  expect(await ask(databases.serviceUrl, "select from pg_tables where tablename = 'kept'")).toEqual([])
})

test('a database of that name that it did not make is not removed', async () => {
  await ask(server.url, 'drop database if exists tandem_local_solver')
  await ask(server.url, 'create database tandem_local_solver')
  await expect(open()).rejects.toThrow('has a database tandem_local_solver that the local stack did not make')
  expect(await ask(server.url, "select datname from pg_database where datname = 'tandem_local_solver'")).toHaveLength(1)
})
