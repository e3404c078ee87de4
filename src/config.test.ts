import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { loadConfig, ServiceConfig, SolverConfig } from './config.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-config-'))
})
afterAll(() => rm(folder, { recursive: true }))

const common = {
  environment: 'local',
  database_url: 'postgres://localhost/tandem',
  listen: { host: '127.0.0.1', port: 8080 },
  chains: { ethereum_localnet: { endpoints: { rpc: 'http://127.0.0.1:8545' } } },
  deployments: { 'ethereum_localnet:eth': { htlc: '0x01', token: null } },
  prices: { 'ethereum_localnet:eth': '3000' },
}
const service = {
  ...common,
  vault_key: { file: 'keys/vault' },
  relay_key: { env: 'TANDEM_TEST_RELAY_KEY' },
  solvers: [{ id: 'solver', url: 'http://127.0.0.1:9000', token: { file: 'keys/token' } }],
}
const solver = {
  ...common,
  solver_id: 'solver',
  private_key: { file: 'keys/solver' },
  token: { file: 'keys/token' },
  spread_bips: 30,
  fixed_fee_usd: '0.5',
  quote_seconds: 60,
}

async function write(value: unknown): Promise<string> {
  const path = join(folder, 'config.json')
  await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value))
  return path
}
const loadService = async (value: unknown) => loadConfig(ServiceConfig, await write(value))
const loadSolver = async (value: unknown) => loadConfig(SolverConfig, await write(value))

test('what is right is read as it is', async () => {
  expect((await loadService(service)).config).toEqual(service)
  expect((await loadSolver(solver)).config).toEqual(solver)
})

describe('what is wrong is refused, and the message says where', () => {
  test.each<{ where: string; value: unknown }>([
    { where: '/vault_kye is not a known setting', value: { ...service, vault_kye: { file: 'keys/vault' } } },
    { where: '/listen/hots is not a known setting', value: { ...service, listen: { ...service.listen, hots: '0.0.0.0' } } },
    { where: '/listen/port', value: { ...service, listen: { host: '127.0.0.1', port: 65536 } } },
    {
      where: '/chains/ethereum_localnet must have required properties endpoints',
      value: { ...service, chains: { ethereum_localnet: { rpc: 'http://127.0.0.1' } } },
    },
    { where: '/solvers/0/tokne is not a known setting', value: { ...service, solvers: [{ ...service.solvers[0], tokne: 1 }] } },
    { where: '/vault_key', value: { ...service, vault_key: '42'.repeat(32) } },
    { where: '/vault_key/env', value: { ...service, vault_key: { file: 'keys/vault', env: 'BOTH' } } },
    { where: '/environment', value: { ...service, environment: 'moon' } },
    { where: '/ must have required properties relay_key', value: { ...service, relay_key: undefined } },
    { where: '/ must be object', value: [] },
    { where: '/spread_bips is not a known setting', value: { ...service, spread_bips: 1 } },
  ])('service: $where', async ({ where, value }) => {
    await expect(loadService(value)).rejects.toThrow(`config.json is not valid: ${where}`)
  })

  test.each<{ where: string; value: unknown }>([
    { where: '/spread_bips', value: { ...solver, spread_bips: 5001 } },
    { where: '/spread_bips', value: { ...solver, spread_bips: 0.5 } },
    { where: '/quote_seconds', value: { ...solver, quote_seconds: 4 } },
    { where: '/solver_id', value: { ...solver, solver_id: '' } },
    { where: '/fixed_fee_usd', value: { ...solver, fixed_fee_usd: 0.5 } },
    { where: '/vault_key is not a known setting', value: { ...solver, vault_key: { file: 'keys/vault' } } },
  ])('solver: $where', async ({ where, value }) => {
    await expect(loadSolver(value)).rejects.toThrow(`config.json is not valid: ${where}`)
  })

  test('a key written where its place belongs is not quoted', async () => {
    const key = '42'.repeat(32)
    const error = await loadService({ ...service, vault_key: key }).catch((reason: unknown) => reason)
    expect(String(error)).toContain('/vault_key')
    expect(String(error)).not.toContain(key)
  })

  test('a file that is missing or not JSON', async () => {
    await expect(loadConfig(ServiceConfig, join(folder, 'none.json'))).rejects.toThrow(/cannot read the configuration .*none\.json/)
    await expect(loadService('{ not json')).rejects.toThrow('cannot read the configuration')
  })
})

describe('a secret', () => {
  afterEach(() => vi.unstubAllEnvs())

  test('is read from a file beside the configuration, wherever we are', async () => {
    await mkdir(join(folder, 'keys'), { recursive: true })
    await writeFile(join(folder, 'keys', 'vault'), 'from a file\n')
    const { readSecret, config } = await loadService(service)
    expect(await readSecret(config.vault_key)).toBe('from a file')
    expect(await readSecret({ file: join(folder, 'keys', 'vault') })).toBe('from a file')
    await expect(readSecret({ file: 'keys/none' })).rejects.toThrow('keys/none')
  })

  test('is read from the environment', async () => {
    vi.stubEnv('TANDEM_TEST_RELAY_KEY', ' from the environment ')
    const { readSecret, config } = await loadService(service)
    expect(await readSecret(config.relay_key)).toBe('from the environment')
  })

  test('that is not there is missed by name', async () => {
    const { readSecret, config } = await loadService(service)
    await expect(readSecret(config.relay_key)).rejects.toThrow('TANDEM_TEST_RELAY_KEY is not set')
  })

  test('that is empty is none: an empty token would let everyone in', async () => {
    vi.stubEnv('TANDEM_TEST_RELAY_KEY', ' ')
    await writeFile(join(folder, 'empty'), '\n')
    const { readSecret, config } = await loadService(service)
    await expect(readSecret(config.relay_key)).rejects.toThrow('TANDEM_TEST_RELAY_KEY')
    await expect(readSecret({ file: 'empty' })).rejects.toThrow(/empty is empty/)
  })
})
