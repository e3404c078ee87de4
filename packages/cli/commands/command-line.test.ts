/** Tests how arguments are parsed, and how errors of nodes and databases are worded. */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { deriveSealingKeys } from '@tandem/party/store/orders/sealed-values.ts'
import { Command } from 'commander'
import { afterEach, expect, test, vi } from 'vitest'
import { createTestDatabase, makeReadOnly } from '../../../test/database.ts'
import type * as commands from './apps.ts'
import { runCommand, writeServiceConfig, writeSolverConfig } from './command.fixture.ts'
import { databaseServer } from './config-path.ts'
import { findTarget } from './deploy-target.ts'
import { createKeyCommand, showKeyCommand } from './keys.ts'
import { sealingKeysCommand } from './sealing-keys.ts'
import { registerApps } from './service-options.ts'
import { explainError } from './terminal.ts'

const called = vi.hoisted(() => [] as unknown[][])
vi.mock('./apps.ts', () => {
  const record =
    (name: string) =>
    async (...args: unknown[]) =>
      void called.push([name, ...args.slice(0, -1)])
  return {
    createAppCommand: record('create'),
    listAppsCommand: record('list'),
    updateAppCommand: record('update'),
    rotateAppCommand: record('rotate'),
    setAppDisabledCommand: record('disabled'),
  } satisfies Record<keyof typeof commands, unknown>
})

async function type(line: string): Promise<unknown[] | undefined> {
  const program = new Command()
  registerApps(program)
  await program.parseAsync(['apps', ...line.split(' ')], { from: 'user' })
  return called.pop()
}

test.each<[string, unknown[]]>([
  ['create shop', ['create', 'shop', {}]],
  [
    'create shop -c s.json --slippage 7 --no-sponsorship --sponsored-per-day 5 --approval unlimited --rate-limit 90 --origin https://a.example https://b.example --permissions read',
    [
      'create',
      'shop',
      {
        config: 's.json',
        slippage: '7',
        sponsorship: false,
        sponsoredPerDay: '5',
        approval: 'unlimited',
        rateLimit: '90',
        origin: ['https://a.example', 'https://b.example'],
        permissions: 'read',
      },
    ],
  ],
  ['update shop --sponsorship --no-origin', ['update', 'shop', { sponsorship: true, origin: false }]],
  [
    'update shop --origin https://a.example --origin https://b.example',
    ['update', 'shop', { origin: ['https://a.example', 'https://b.example'] }],
  ],
  ['list --json', ['list', { json: true }]],
  ['rotate shop --config s.json', ['rotate', 'shop', { config: 's.json' }]],
  ['disable shop', ['disabled', 'shop', true, {}]],
  ['enable shop', ['disabled', 'shop', false, {}]],
])('apps %s', async (line, expected) => {
  expect(await type(line)).toEqual(expected)
})

// These are the nodes that a deployment uses when none are named.
test.each([
  ['base', 2],
  ['citrea', 1],
])('public nodes of %s must agree where there are several', async (chain, quorum) => {
  const { nodes } = await findTarget({ chain })
  expect(nodes.quorum).toBe(quorum)
  expect(nodes.endpoints.rpc?.length).toBeGreaterThanOrEqual(quorum)
})

test('a node that the operator names is trusted alone', async () => {
  expect((await findTarget({ chain: 'base', rpc: ['http://127.0.0.1:1'] })).nodes).toEqual({ endpoints: { rpc: ['http://127.0.0.1:1'] } })
})

test('a database that is not running is named, and what to start', async () => {
  for (const [url, place] of [
    ['postgresql:///tandem?host=/tmp/no-such-folder', '/tmp/no-such-folder/.s.PGSQL.5432'],
    ['postgresql://127.0.0.1:1/tandem', '127.0.0.1:1'],
  ] as const) {
    const error = await openDatabase(url).catch((reason: unknown) => reason)
    expect(explainError(error)).toMatch(new RegExp(`^nothing answers at ${place} .*npm start.*--config`))
  }
})

test('a database that is read-only is said to be so', async () => {
  const { url, drop } = await createTestDatabase()
  try {
    await makeReadOnly(url)
    const error = await openDatabase(url).catch((reason: unknown) => reason)
    expect(explainError(error)).toMatch(/^the database is read-only \(cannot execute .*\): .*tandem doctor/)
  } finally {
    await drop()
  }
})

test('a failed fetch is explained by its cause', async () => {
  const cause = await new Promise<Error>((resolve) => connect(1, '127.0.0.1').on('error', resolve))
  expect(explainError(new TypeError('fetch failed', { cause }))).toMatch(/^nothing answers at 127.0.0.1:1 /)
})

afterEach(() => void vi.unstubAllEnvs())

test('DATABASE_URL names the server', () => {
  vi.stubEnv('DATABASE_URL', 'postgres://db.example/x')
  expect(databaseServer()).toEqual({ databaseServerUrl: 'postgres://db.example/x' })
})

test.each([undefined, ''])('without it (%j) the embedded server is used', (url) => {
  vi.stubEnv('DATABASE_URL', url)
  expect(databaseServer()).toEqual({})
})

test('writes the seal key for an API, never over another, and shows what takes the place of the vault key', async () => {
  const service = await writeServiceConfig('postgres://127.0.0.1/none')
  const config = JSON.parse(await readFile(service.config, 'utf8'))
  await writeFile(service.config, JSON.stringify({ ...config, vault_key: { file: 'vault' } }))
  await writeFile(join(service.folder, 'vault'), '42'.repeat(32), { mode: 0o600 })
  const file = join(service.folder, 'for the api', 'seal')
  const { answer, notes } = await runCommand((terminal) => sealingKeysCommand(file, service, terminal))
  const { publicKey, sealKey } = deriveSealingKeys('42'.repeat(32))
  expect(JSON.parse(answer)).toEqual({ sealing: { public_key: publicKey, seal_key: { file } } })
  expect(await readFile(file, 'utf8')).toBe(`${sealKey}\n`)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  for (const secret of [sealKey, '42'.repeat(32)]) expect(`${answer} ${notes}`).not.toContain(secret)
  await expect(runCommand((terminal) => sealingKeysCommand(file, service, terminal))).rejects.toThrow('EEXIST')

  await writeFile(service.config, JSON.stringify({ ...config, vault_key: undefined, ...JSON.parse(answer) }))
  await expect(runCommand((terminal) => sealingKeysCommand(`${file}-2`, service, terminal))).rejects.toThrow(
    'has no vault_key to derive from',
  )
  await service.remove()
})

test('creates a key that only its owner can read, never over another, and shows its public key from a configuration', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-keys-'))
  const file = join(folder, 'keys', 'signing')
  const { answer: publicKey, notes } = await runCommand((terminal) => createKeyCommand(file, {}, terminal))
  const seed = await readFile(file, 'utf8')
  expect(publicKey).toMatch(/^[0-9a-f]{64}$/)
  expect(`${publicKey} ${notes}`).not.toContain(seed.trim())
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await stat(join(folder, 'keys'))).mode & 0o777).toBe(0o700)
  await expect(runCommand((terminal) => createKeyCommand(file, {}, terminal))).rejects.toThrow('EEXIST')
  expect(await readFile(file, 'utf8')).toBe(seed)

  for (const write of [writeServiceConfig, writeSolverConfig]) {
    const party = await write('postgres://127.0.0.1/none')
    await writeFile(join(party.folder, 'signing'), seed, { mode: 0o600 })
    expect((await runCommand((terminal) => showKeyCommand(party, terminal))).answer).toBe(publicKey)
    await party.remove()
  }
  await rm(folder, { recursive: true })
})
