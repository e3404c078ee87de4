/** Tests that one process at a time owns the local folder and its databases. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localChains } from '@tandem/families/registry.ts'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { chooseChains } from './choose-chains.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded/embedded-postgres.ts'
import { openLocalDatabases } from './local-databases.ts'
import { claimFolder } from './local-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-folder-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const pidFile = () => join(folder, 'pid')

/** The process reads its standard input, so it exits when this process does. */
async function startProcess() {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] })
  await once(child, 'spawn')
  return {
    pid: child.pid ?? 0,
    async end() {
      const ended = once(child, 'close')
      child.kill()
      await ended
    },
  }
}

test('is claimed by this process, and released', async () => {
  const release = await claimFolder(join(folder, 'made', 'on', 'the', 'way'))
  expect(await readFile(join(folder, 'made', 'on', 'the', 'way', 'pid'), 'utf8')).toBe(String(process.pid))
  await release()
  expect(await readdir(join(folder, 'made', 'on', 'the', 'way'))).toEqual([])
  await release()
})

test('is refused while another process holds it, and taken over once that process has ended', async () => {
  const other = await startProcess()
  try {
    await writeFile(pidFile(), String(other.pid))
    await expect(claimFolder(folder)).rejects.toThrow(`running already (process ${other.pid}). Stop it first: kill ${other.pid}`)
    expect(await readFile(pidFile(), 'utf8')).toBe(String(other.pid))
  } finally {
    await other.end()
  }
  await claimFolder(folder)
  expect(await readFile(pidFile(), 'utf8')).toBe(String(process.pid))
})

test('a claim with our own pid is taken over: an ended process had the same pid', async () => {
  await writeFile(pidFile(), String(process.pid))
  await (await claimFolder(folder))()
})

test.each(['', 'nonsense', '-1', '0', '1.5'])('a file that says "%s" names no process', async (text) => {
  await writeFile(pidFile(), text)
  await claimFolder(folder)
  expect(await readFile(pidFile(), 'utf8')).toBe(String(process.pid))
})

test('a folder that cannot be read is not taken over', async () => {
  await rm(folder, { recursive: true })
  await writeFile(folder, 'a file')
  await expect(claimFolder(folder)).rejects.toThrow()
})

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

const idsOf = (...names: readonly string[]) => chooseChains(names).map(({ id }) => id)

test('all local chains run unless some are named', () => {
  expect(chooseChains(undefined)).toEqual(localChains)
})

test('a chain is named by its id or a prefix of it', () => {
  expect(idsOf('ethereum_localnet', 'bitcoin')).toEqual(['bitcoin_regtest', 'ethereum_localnet'])
  expect(idsOf(' ARB', 'tron')).toEqual(['arbitrum_localnet', 'tron_localnet'])
})

test('a chain that is named twice runs once', () => {
  expect(idsOf('bitcoin', 'bitcoin_regtest')).toEqual(['bitcoin_regtest'])
})

test.each([
  { name: 'moon', error: /there is no local chain "moon"; there are bitcoin_regtest, .*tron_localnet/ },
  { name: 'bitcoin_regtset', error: /do you mean "bitcoin_regtest"\?; there are/ },
  { name: '', error: /there is no local chain ""/ },
  { name: 'regtest', error: /there is no local chain/ },
])('"$name" is refused, and the error lists the local chains', ({ name, error }) => {
  expect(() => chooseChains(['ethereum', name])).toThrow(error)
})

test('an ambiguous prefix is refused', () => {
  const twins = localChains.slice(0, 2).map((chain, index) => ({ ...chain, id: `twin_${index}` }))
  expect(() => chooseChains(['twin'], twins)).toThrow('"twin" is ambiguous: it may be twin_0 or twin_1')
})
