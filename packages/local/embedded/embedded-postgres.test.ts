/** Tests the embedded PostgreSQL server: its data, its socket, and concurrent starts. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startEmbeddedPostgres } from './embedded-postgres.ts'
import { choosePlace } from './place.ts'

const isRoot = process.getuid?.() === 0

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-embedded-'))
  await chmod(folder, 0o755)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const query = async (url: string, sql: string): Promise<unknown> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows[0]?.[0]
  } finally {
    await client.end()
  }
}

const socketDirOf = (url: string): string => new URL(url).searchParams.get('host') ?? ''
const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

test('a fresh server listens only on a private socket and removes its data', async () => {
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), fresh: true })
  const socketDir = socketDirOf(server.url)
  expect(await query(server.url, 'show listen_addresses')).toBe('')
  expect(await query(server.url, 'show fsync')).toBe('off')
  expect((await stat(socketDir)).mode & 0o777).toBe(0o700)
  expect(join(socketDir, '.s.PGSQL.5432').length).toBeLessThanOrEqual(103)
  await server.stop()
  await server.stop()
  expect(await exists(socketDir)).toBe(false)
  expect(await readdir(join(folder, 'data'))).toEqual([])
  await expect(query(server.url, 'select 1')).rejects.toThrow('ENOENT')
})

test('a persistent server finds its data again and writes it durably', async () => {
  const dataDir = join(folder, 'data')
  const first = await startEmbeddedPostgres({ dataDir })
  const url = await first.createDatabase('swaps')
  expect(await query(url, 'show fsync')).toBe('on')
  await query(url, 'create table mark as select 7 as id')
  await first.stop()
  const second = await startEmbeddedPostgres({ dataDir })
  const again = await second.createDatabase('swaps')
  expect(await query(again, 'select id from mark')).toBe(7)
  await second.stop()
})

test('refuses invalid database names, because they become part of a statement', async () => {
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), fresh: true })
  await expect(server.createDatabase('x; drop database postgres')).rejects.toThrow('not a database name')
  await server.stop()
})

test('several fresh servers can share one data folder', async () => {
  const dataDir = join(folder, 'data')
  const servers = await Promise.all([0, 1].map(() => startEmbeddedPostgres({ dataDir, fresh: true })))
  for (const [index, server] of servers.entries()) await query(server.url, `create table mark as select ${index} as id`)
  for (const [index, server] of servers.entries()) expect(await query(server.url, 'select id from mark')).toBe(index)
  await Promise.all(servers.map((server) => server.stop()))
  expect(await readdir(dataDir)).toEqual([])
})

test('refuses a persistent data folder in use, without disturbing its server', async () => {
  const dataDir = join(folder, 'data')
  const first = await startEmbeddedPostgres({ dataDir })
  await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow('in use by another running application')
  expect(await query(first.url, 'select 1')).toBe(1)
  await first.stop()
})

test('starts despite a stale lock file whose process id now belongs to another program', async () => {
  const dataDir = join(folder, 'data')
  const first = await startEmbeddedPostgres({ dataDir })
  const lock = join(dataDir, 'cluster', 'postmaster.pid')
  const [, ...rest] = (await readFile(lock, 'utf8')).split('\n')
  await first.stop()
  await writeFile(lock, [process.pid, ...rest].join('\n'))
  const second = await startEmbeddedPostgres({ dataDir })
  expect(await query(second.url, 'select 1')).toBe(1)
  await second.stop()
})

test('removes the abandoned data of a fresh server after a crash of the machine', async () => {
  const dataDir = join(folder, 'data')
  const remains = join(dataDir, 'fresh-abandoned')
  await mkdir(join(remains, 'cluster'), { recursive: true })
  await utimes(remains, 0, 0)
  const server = await startEmbeddedPostgres({ dataDir, fresh: true })
  expect(await exists(remains)).toBe(false)
  await server.stop()
})

test('a server that cannot start reports why', async () => {
  const dataDir = join(folder, 'data')
  await (await startEmbeddedPostgres({ dataDir })).stop()
  await writeFile(join(dataDir, 'cluster', 'PG_VERSION'), '9\n')
  await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow('database files are incompatible with server')
})

if (isRoot) {
  test('as root, runs the server as another user, even below a folder closed to that user', async () => {
    const closed = join(folder, 'closed')
    await mkdir(closed, { mode: 0o700 })
    const server = await startEmbeddedPostgres({ dataDir: join(closed, 'data'), fresh: true })
    expect((await stat(socketDirOf(server.url))).uid).not.toBe(0)
    expect(await query(server.url, 'select 1')).toBe(1)
    const clusterDir = String(await query(server.url, 'show data_directory'))
    expect((await stat(clusterDir)).uid).not.toBe(0)
    await server.stop()
    expect(await exists(clusterDir)).toBe(false)
  })

  test('persistent data below a folder closed to the server goes to a fixed other folder', async () => {
    const closed = join(folder, 'closed')
    await mkdir(closed, { mode: 0o700 })
    const first = await choosePlace(join(closed, 'data'), false)
    const second = await choosePlace(join(closed, 'data'), false)
    expect(second).toEqual(first)
    expect(first.home.startsWith(closed)).toBe(false)
    expect((await stat(first.home)).mode & 0o777).toBe(0o700)
    await rm(first.home, { recursive: true })
  })
}
