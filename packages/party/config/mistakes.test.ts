/** Mistakes of an operator: each error names the file, the setting, what was expected and what was given, and never the value. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseServer } from '@tandem/cli/commands/config-path.ts'
import { readKey } from '@tandem/cli/commands/read-key.ts'
import { chooseLogLevel } from '@tandem/runtime/log.ts'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { loadConfig } from './load-config.ts'
import { networkSettings } from './network-settings.ts'
import { ServiceConfig } from './schema.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-mistakes-'))
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

const SECRET = 'hunter2'

const service = {
  environment: 'local',
  database_url: `postgres://user:${SECRET}@localhost/tandem`,
  listen: { host: '127.0.0.1', port: 8080 },
  chains: { ethereum_localnet: { endpoints: { rpc: `http://127.0.0.1/${SECRET}` } } },
  deployments: {},
  prices: {},
  vault_key: { file: 'vault' },
  relay_key: { env: 'TANDEM_TEST_RELAY_KEY' },
  solver_signing_key: { file: 'signing' },
  solvers: [{ id: 'solver', url: 'http://127.0.0.1:9000', public_key: 'ab'.repeat(32) }],
}
const withRpc = (rpc: unknown) => ({ ...service, chains: { ethereum_localnet: { endpoints: { rpc } } } })
const rpc = '/chains/ethereum_localnet/endpoints/rpc'

async function messageOf(work: () => unknown): Promise<string> {
  const error = await (async () => work())().then(
    () => new Error('nothing was refused'),
    (thrown: unknown) => thrown as Error,
  )
  expect(error.message).not.toContain(SECRET)
  return error.message
}

async function load(value: unknown) {
  const path = join(folder, 'service.json')
  await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value))
  return loadConfig(ServiceConfig, path)
}

const invalid = (problem: string) => `service.json is not valid: ${problem}`

test.each<readonly [kind: string, value: unknown, expected: string]>([
  ['missing', { ...service, vault_key: undefined }, invalid('/vault_key is missing')],
  ['missing inside', { ...service, listen: { host: 'x' } }, invalid('/listen/port is missing')],
  ['another type', { ...service, listen: { host: 'x', port: SECRET } }, invalid('/listen/port must be integer, got a text')],
  ['null', { ...service, listen: null }, invalid('/listen must be object, got null')],
  ['a list', { ...service, prices: [SECRET] }, invalid('/prices must be object, got a list')],
  ['not a list', { ...service, trusted_proxies: SECRET }, invalid('/trusted_proxies must be array, got a text')],
  ['too large', { ...service, listen: { host: 'x', port: 65536 } }, invalid('/listen/port must be <= 65535, got 65536')],
  ['not one of', { ...service, environment: SECRET }, invalid('/environment must be "local", "testnet" or "mainnet", got a text')],
  [
    'the secret itself',
    { ...service, vault_key: SECRET },
    invalid(
      '/vault_key must be {"file": "<path>"}, {"env": "<variable>"} or {"command": ["<program>", …]}, never the secret itself, got a text',
    ),
  ],
  ['unknown key', { ...service, vault_kye: SECRET }, invalid('/vault_kye is not a known setting; do you mean "vault_key"?')],
  [
    'unknown key inside',
    withRpc([{ url: 'http://x', heders: SECRET }]),
    invalid(`${rpc}/0/heders is not a known setting; do you mean "headers"?`),
  ],
  ['item of a list', withRpc(['http://x', 5]), invalid(`${rpc}/1 must be a URL as a text,`)],
  [
    'item of a list, with many other mistakes',
    { chains: { ethereum_localnet: { endpoints: { rpc: [5] } } } },
    `${rpc}/0 must be a URL as a text,`,
  ],
  ['an empty list', withRpc([]), `or a list of such, got an empty list`],
  [
    'no URL',
    withRpc(['http://x', SECRET]),
    invalid(`${rpc}/1 must be a URL that begins with http:// or https://, got a text that is no URL`),
  ],
  [
    'another URL',
    withRpc({ url: `ftp://${SECRET}` }),
    invalid(`${rpc}/url must be a URL that begins with http:// or https://, got one of another kind`),
  ],
  [
    'URL of a solver',
    { ...service, solvers: [{ ...service.solvers[0], url: SECRET }] },
    invalid('/solvers/0/url must be an http or https URL, got a text'),
  ],
  [
    'URL of the database',
    { ...service, database_url: `mysql://${SECRET}` },
    invalid('/database_url must be a URL that begins with postgres:// or postgresql://, got one'),
  ],
  [
    'unknown chain',
    { ...service, chains: { etherum_localnet: {} } },
    invalid('/chains/etherum_localnet is not in the environment "local"; do you mean "ethereum_localnet"?'),
  ],
  [
    'not JSON',
    `{\n  "vault_key": ${SECRET}\n}`,
    'service.json is not valid JSON: line 2, column 16: something else than JSON allows there',
  ],
  ['half of a file', `{\n  "vault_key": {`, 'service.json is not valid JSON: line 2, column 17: it ends too early'],
])('%s', async (_, value, expected) => {
  expect(await messageOf(() => load(value))).toContain(expected)
})

test('a file that is missing, a folder, or not readable', async () => {
  const at = (name: string) => messageOf(() => loadConfig(ServiceConfig, join(folder, name)))
  expect(await at('none.json')).toBe(`the configuration ${join(folder, 'none.json')} does not exist`)
  await mkdir(join(folder, 'folder.json'))
  expect(await at('folder.json')).toBe(`the configuration ${join(folder, 'folder.json')} is a folder, expected a file`)
  await writeFile(join(folder, 'closed.json'), '{}')
  expect(await at('closed.json/x')).toContain('does not exist: a part of its path is a file')
  await chmod(join(folder, 'closed.json'), 0)
  // Root can read the file in spite of its mode.
  if (process.getuid?.() !== 0) expect(await at('closed.json')).toContain('cannot be opened: this user may not read it')
})

test('a missing secret is reported with the setting that names it, and its place', async () => {
  const config = { ...withRpc([{ env: 'TANDEM_TEST_A' }, { url: 'http://x', headers: { key: { file: 'key' } } }]) }
  const { config: loaded, rows, readSecret } = await load(config)
  expect(await messageOf(() => readSecret(loaded.vault_key ?? ''))).toBe(`/vault_key: the file ${join(folder, 'vault')} does not exist`)
  await writeFile(join(folder, 'signing'), ' \n')
  expect(await messageOf(() => readSecret(loaded.solver_signing_key))).toBe(
    `/solver_signing_key: the file ${join(folder, 'signing')} is empty: expected a secret`,
  )
  const settings = () => messageOf(() => networkSettings({ config: loaded, rows, readSecret }))
  expect(await settings()).toBe(`${rpc}/0: the environment variable TANDEM_TEST_A is not set`)
  vi.stubEnv('TANDEM_TEST_A', SECRET)
  expect(await settings()).toBe(`${rpc}/0 must be a URL that begins with http:// or https://, got a text that is no URL`)
  vi.stubEnv('TANDEM_TEST_A', `http://${SECRET}`)
  expect(await settings()).toBe(`${rpc}/1/headers/key: the file ${join(folder, 'key')} does not exist`)
})

test('environment variables and options are named', async () => {
  vi.stubEnv('DATABASE_URL', `localhost/${SECRET}`)
  expect(await messageOf(databaseServer)).toBe(
    'the environment variable DATABASE_URL must be a URL that begins with postgres:// or postgresql://, got a text that is no URL',
  )
  vi.stubEnv('TANDEM_LOG_LEVEL', 'loud')
  expect(await messageOf(() => chooseLogLevel(undefined))).toMatch(/^the environment variable TANDEM_LOG_LEVEL: .*one of trace, debug/)
  expect(await messageOf(() => chooseLogLevel('louder'))).toMatch(/^--log-level: .*got "louder"/)
  vi.stubEnv('TANDEM_TEST_KEY', SECRET)
  expect(await messageOf(() => readKey({ keyEnv: 'TANDEM_TEST_KEY' }, 'secp256k1'))).toMatch(
    /^--key-env: the environment variable TANDEM_TEST_KEY: a private key must be/,
  )
  expect(await messageOf(() => readKey({ keyEnv: 'TANDEM_TEST_NONE' }, 'secp256k1'))).toContain('TANDEM_TEST_NONE holds no key')
  expect(await messageOf(() => readKey({ keyFile: join(folder, 'none') }, 'secp256k1'))).toBe(
    `--key-file: ${join(folder, 'none')} does not exist`,
  )
})
