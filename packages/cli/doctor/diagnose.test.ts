/** Tests that the doctor finds nothing wrong with healthy parties, and names each fault of others. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTickerServer } from '@tandem/chain-kit/local/ticker/ticker-server.ts'
import { evmLocal } from '@tandem/evm/local/local.ts'
import { type LocalStack, startLocalStack } from '@tandem/local/stack.ts'
import { encryptSecret } from '@tandem/party/config/encrypted-file.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, makeReadOnly, makeWritable, type TestDatabase } from '../../../test/database.ts'
import { doctorCommand } from '../commands/doctor.ts'
import { showKeyCommand } from '../commands/keys.ts'
import { diagnose } from './diagnose.ts'

let folder: string
let databases: readonly [TestDatabase, TestDatabase, TestDatabase]
let stack: LocalStack
/** Nobody listens on this port. */
let deadUrl: string

type Json = Record<string, unknown>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-doctor-'))
  databases = [await createTestDatabase(), await createTestDatabase(), await createTestDatabase('empty')]
  const [service, solver] = databases
  stack = await startLocalStack({
    folder,
    port: 0,
    chains: ['bitcoin', 'litecoin', 'ethereum', 'arbitrum'],
    log: createLogger({ name: 'doctor', level: 'silent' }),
    databases: { serviceUrl: service.url, solverUrls: [solver.url], close: async () => undefined },
  })
  deadUrl = await new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`))
    })
  })
})
afterAll(async () => {
  await stack?.stop()
  await Promise.all(databases.map((database) => database.drop()))
  await rm(folder, { recursive: true, force: true })
})

/** The configuration is the stack's own, with something broken. */
async function broken(party: 'service' | 'solver', change: (config: Json) => Json): Promise<string> {
  const source = party === 'service' ? stack.configs.serviceFile : stack.configs.solverFile
  const path = join(folder, 'broken.json')
  await writeFile(path, JSON.stringify(change(JSON.parse(await readFile(source, 'utf8')))))
  return path
}
const brokenService = (change: (config: Json) => Json) => broken('service', change)
const withNodes = (config: Json, urls: Record<string, string>): Json => ({
  ...config,
  chains: { ...(config.chains as Json), ...Object.fromEntries(Object.entries(urls).map(([id, rpc]) => [id, { endpoints: { rpc } }])) },
})

async function problems(path: string) {
  const { findings } = await diagnose(path)
  for (const finding of findings) if (finding.level !== 'ok') expect(finding.advice).toBeTruthy()
  return Object.fromEntries(
    findings.filter(({ level }) => level !== 'ok').map(({ level, check, about, text }) => [`${level} ${check} ${about}`, text]),
  )
}

describe('a healthy', () => {
  test('service has no problems, and every check has run', async () => {
    const { party, findings, configuration } = await diagnose(stack.configs.serviceFile)
    expect(findings.filter(({ level }) => level !== 'ok')).toEqual([])
    expect(party).toBe('service')
    expect(new Set(findings.map(({ check }) => check))).toEqual(
      new Set([
        'configuration',
        'secrets',
        'database',
        'deposits',
        'nodes',
        'contracts',
        'affiliates',
        'fees',
        'solvers',
        'prices',
        'timelocks',
      ]),
    )
    expect(findings).toContainEqual(expect.objectContaining({ check: 'solvers', about: 'local-solver ethereum_localnet:wbtc' }))
    expect(configuration).toMatchObject({
      trusted_proxies: [],
      event_streams: { per_process: 10_000, per_app: 5_000, per_address: 100 },
      webhooks: { allow_private: expect.any(Boolean) },
      instant_refunds: { owner_usd_per_day: '5', app_usd_per_day: '500' },
      environment: 'local',
      policy: { default: 'open' },
      rate_limit: { per_minute: 1_000_000 },
      deployments: { 'bitcoin_regtest:btc': { htlc: null, token: null } },
      limits: { 'bitcoin_regtest:btc': { min: '10000', max: '100000000' } },
      vault_key: { file: 'keys/vault' },
    })
  })

  test('solver has no problems, and its inventory is listed', async () => {
    const { party, findings } = await diagnose(stack.configs.solverFile)
    expect(findings.filter(({ level }) => level !== 'ok')).toEqual([])
    expect(party).toBe('solver')
    expect(new Set(findings.map(({ check }) => check))).toEqual(
      new Set(['configuration', 'secrets', 'database', 'nodes', 'contracts', 'fees', 'inventory', 'prices', 'timelocks']),
    )
    expect(findings.filter(({ check }) => check === 'inventory')).toHaveLength(8)
  })
})

describe('doctor finds', () => {
  test('an invalid configuration', async () => {
    const { party, configuration, findings } = await diagnose(await brokenService((config) => ({ ...config, pirces: {} })))
    expect({ party, configuration }).toEqual({ party: null, configuration: null })
    expect(findings).toEqual([
      expect.objectContaining({ level: 'fail', check: 'configuration', text: expect.stringContaining('do you mean "prices"?') }),
    ])
    expect(await problems(join(folder, 'none.json'))).toEqual({
      'fail configuration configuration': expect.stringContaining('none.json'),
    })
  })

  test('a missing key for the curve of its chains', async () => {
    const path = await broken('solver', (config) => ({ ...config, private_key: { stark: { file: 'keys/solver-secp256k1' } } }))
    expect(await problems(path)).toEqual({
      'fail configuration configuration': expect.stringMatching(
        /\/private_key\/secp256k1 is missing: it signs on bitcoin_regtest, .*ethereum_localnet/,
      ),
    })
  })

  test('a dead node, and still checks the other chains', async () => {
    const path = await brokenService((config) => withNodes(config, { arbitrum_localnet: deadUrl }))
    expect(await problems(path)).toEqual({ 'fail nodes arbitrum_localnet': expect.stringContaining('its node does not answer') })
  })

  test('a dead node among several: a warning while the others reach the quorum, else a failure', async () => {
    const { rpcUrl } = stack.network.control('arbitrum_localnet', evmLocal)
    const several = (config: Json, chain: Json): Json => ({ ...config, chains: { ...(config.chains as Json), arbitrum_localnet: chain } })
    const rpc = [rpcUrl, `${deadUrl}/v2/s3cret-key`, rpcUrl.replace('127.0.0.1', 'localhost')]
    const about = `arbitrum_localnet ${new URL(deadUrl).host}`
    const path = await brokenService((config) => several(config, { endpoints: { rpc }, quorum: 2 }))
    expect(await problems(path)).toEqual({ [`warn nodes ${about}`]: expect.stringContaining('ECONNREFUSED') })
    const missed = await brokenService((config) => several(config, { endpoints: { rpc }, quorum: 3 }))
    expect(await problems(missed)).toMatchObject({
      [`fail nodes ${about}`]: expect.stringContaining('ECONNREFUSED'),
      'fail nodes arbitrum_localnet': expect.stringContaining('its node does not answer'),
    })
    expect(JSON.stringify(await diagnose(missed))).not.toContain('s3cret-key')
  })

  test('a node of another chain, and one whose address cannot be read', async () => {
    const path = await brokenService((config) => {
      const wrong = withNodes(config, { arbitrum_localnet: stack.network.control('ethereum_localnet', evmLocal).rpcUrl })
      return { ...wrong, chains: { ...(wrong.chains as Json), ethereum_localnet: { endpoints: { rpc: { env: 'TANDEM_TEST_NONE' } } } } }
    })
    expect(await problems(path)).toEqual({
      'fail nodes arbitrum_localnet': expect.stringContaining('the node serves evm:31337, expected evm:31338'),
      'fail secrets chains.ethereum_localnet.endpoints.rpc': expect.stringContaining('TANDEM_TEST_NONE is not set'),
    })
  })

  test('where the header of a node comes from, and that it is missing or empty; never what it is', async () => {
    await writeFile(join(folder, 'api-key'), 'api-key-value\n', { mode: 0o600 })
    await writeFile(join(folder, 'empty-key'), '\n', { mode: 0o600 })
    const { rpcUrl } = stack.network.control('arbitrum_localnet', evmLocal)
    const withHeader = (file: string) =>
      brokenService((config) => {
        const rpc = [{ url: rpcUrl, headers: { 'x-api-key': { file } } }]
        return { ...config, chains: { ...(config.chains as Json), arbitrum_localnet: { endpoints: { rpc } } } }
      })
    const place = 'chains.arbitrum_localnet.endpoints.rpc.0.headers.x-api-key'
    const diagnosis = await diagnose(await withHeader('api-key'))
    expect(diagnosis.findings).toContainEqual(
      expect.objectContaining({ level: 'ok', about: place, text: 'header x-api-key from the file api-key' }),
    )
    expect(diagnosis.findings.filter(({ level }) => level !== 'ok')).toEqual([])
    expect(JSON.stringify(diagnosis)).not.toContain('api-key-value')
    expect(await problems(await withHeader('no-key'))).toMatchObject({ [`fail secrets ${place}`]: expect.stringContaining('no-key') })
    expect(await problems(await withHeader('empty-key'))).toMatchObject({
      [`fail secrets ${place}`]: expect.stringContaining('empty-key is empty: expected a secret'),
    })
  })

  test('a database of the solver that is read-only: its own doctor, and that of the service', async () => {
    const [, { url }] = databases
    await makeReadOnly(url)
    try {
      expect(await problems(stack.configs.solverFile)).toEqual({ 'fail database writes': expect.stringContaining('read-only') })
      // The connections that ended may fail one request.
      await expect
        .poll(() => problems(stack.configs.serviceFile), { timeout: 60_000 })
        .toMatchObject({ 'warn solvers local-solver': 'answers, but takes no new orders: the database is read-only' })
    } finally {
      await makeWritable(url)
    }
    await expect.poll(() => problems(stack.configs.serviceFile), { timeout: 60_000 }).toEqual({})
  })

  test('a missing contract that pays affiliates, and an asset that none pays', async () => {
    const path = await brokenService((config) => ({
      ...config,
      earnings: { signing_key: { file: 'keys/relay-secp256k1' }, asset: 'bitcoin_regtest:btc' },
    }))
    await expect
      .poll(() => problems(path))
      .toEqual({
        'fail affiliates earnings.asset': expect.stringContaining('bitcoin_regtest:btc'),
        'warn affiliates ethereum_localnet': expect.stringContaining('there is no contract at 0x'),
        'warn affiliates arbitrum_localnet': expect.stringContaining('there is no contract at 0x'),
      })
  })

  test('a missing contract and a foreign one, and accepts the others', async () => {
    const path = await brokenService((config) => {
      const deployments = config.deployments as Record<string, { token: string }>
      const token = deployments['ethereum_localnet:wbtc']?.token
      return {
        ...config,
        deployments: {
          ...deployments,
          'ethereum_localnet:eth': { htlc: `0x${'12'.repeat(20)}` },
          'ethereum_localnet:wbtc': { htlc: token, token },
        },
      }
    })
    await expect
      .poll(() => problems(path))
      .toEqual({
        'fail contracts ethereum_localnet:eth': expect.stringContaining('there is no contract at'),
        'fail contracts ethereum_localnet:wbtc': expect.stringContaining('is not that of our HTLC'),
        'fail solvers local-solver ethereum_localnet:eth': expect.stringContaining('lists it with other contracts'),
        'fail solvers local-solver ethereum_localnet:wbtc': expect.stringContaining('lists it with other contracts'),
      })
  })

  test('secrets that are missing, malformed, or readable by every user', async () => {
    await writeFile(join(folder, 'bad-key'), 'feedbeef'.repeat(7), { mode: 0o600 })
    await writeFile(join(folder, 'open-key'), '42'.repeat(32))
    await chmod(join(folder, 'open-key'), 0o644)
    const path = await brokenService((config) => ({
      ...config,
      vault_key: { file: 'open-key' },
      relay_key: { file: 'bad-key' },
      solver_signing_key: { file: 'no-key' },
    }))
    const diagnosis = await diagnose(path)
    await expect
      .poll(() => problems(path))
      .toEqual({
        'fail database vault_key': expect.stringContaining('is not the key that this database was made with'),
        'fail secrets vault_key': expect.stringContaining('every user of this machine'),
        'fail secrets relay_key': expect.stringContaining('32 bytes as hex'),
        'fail secrets solver_signing_key': expect.stringContaining('no-key'),
        'fail solvers solvers': expect.stringContaining('solver_signing_key cannot be read'),
      })
    expect(JSON.stringify(diagnosis)).not.toContain('feedbeef')
    await chmod(join(folder, 'open-key'), 0o640)
    expect(await problems(path)).toMatchObject({ 'warn secrets vault_key': expect.stringContaining('the group of') })
  })

  test('a program that fails, a wrong passphrase, and a key that is listed twice; from where the others are read', async () => {
    const print = (text: string) => [process.execPath, '-p', `'${text}'`]
    await writeFile(join(folder, 'encrypted'), await encryptSecret('42'.repeat(32), 'a long passphrase'))
    await writeFile(join(folder, 'own-key'), '43'.repeat(32), { mode: 0o600 })
    const withKeys = (chains: Json, more: Json = {}) =>
      broken('solver', (config) => ({ ...config, ...more, private_key: { secp256k1: { file: 'own-key' }, chains } }))
    const encrypted = (passphrase: string) => ({ file: 'encrypted', passphrase: { command: print(passphrase) } })
    const path = await withKeys(
      { ethereum_localnet: encrypted('another passphrase') },
      { signing_key: { command: ['no-such-program', 'feedbeef'] } },
    )
    await expect
      .poll(() => problems(path))
      .toEqual({
        'fail secrets private_key.chains.ethereum_localnet': expect.stringContaining('the passphrase is wrong'),
        'fail secrets signing_key': '/signing_key: the program no-such-program does not exist',
      })
    expect(JSON.stringify(await diagnose(path))).not.toMatch(/feedbeef|another passphrase/)
    const copied = await withKeys({ ethereum_localnet: { command: print('43'.repeat(32)) } })
    expect(await problems(copied)).toEqual({
      'fail secrets private_key': 'the key of ethereum_localnet is also that of secp256k1: make another, or leave it out',
    })
    const { findings } = await diagnose(await withKeys({ ethereum_localnet: encrypted('a long passphrase') }))
    expect(
      findings.filter(({ about }) => about.startsWith('private_key')).map(({ level, about, text }) => `${level} ${about}: ${text}`),
    ).toEqual([
      'ok private_key.secp256k1: read from the file own-key',
      'ok private_key.chains.ethereum_localnet: read from the encrypted file encrypted',
      `ok private_key.chains.ethereum_localnet.passphrase: read from the program ${process.execPath}`,
    ])
  })

  test('a service that only watches: its addresses, and that no solver can be asked', async () => {
    const shown: string[] = []
    const { serviceFile } = stack.configs
    await showKeyCommand({ config: serviceFile, all: true }, { answer: (text) => void shown.push(text), note: () => undefined })
    const settings = JSON.parse(shown.join(''))
    const path = await brokenService((config) => ({ ...config, ...settings }))
    const { findings } = await diagnose(path)
    expect(findings.filter(({ level }) => level === 'fail')).toEqual([])
    const warned = findings.filter(({ level }) => level === 'warn').map(({ check, about }) => `${check} ${about}`)
    expect(warned).toContain('solvers solvers')
    expect(warned).toContain('secrets earnings.signing_key.secp256k1')
    const feesOf = async (file: string) => (await diagnose(file)).findings.filter(({ check }) => check === 'fees')
    expect(await feesOf(path)).toEqual(await feesOf(serviceFile))
    expect(await feesOf(path)).not.toEqual([])
  })

  test('a stopped solver, one that does not know our key, one with another key or id, and no solver at all', async () => {
    await writeFile(join(folder, 'other-key'), '43'.repeat(32), { mode: 0o600 })
    const change = (solver: Json) => (config: Json) => ({ ...config, solvers: [{ ...(config.solvers as Json[])[0], ...solver }] })
    expect(await problems(await brokenService((config) => ({ ...config, solver_signing_key: { file: 'other-key' } })))).toEqual({
      'fail solvers local-solver': expect.stringContaining('is not known here: add it to services'),
    })
    expect(await problems(await brokenService(change({ public_key: '22'.repeat(32) })))).toEqual({
      'fail solvers local-solver': expect.stringContaining('the request is for another solver'),
    })
    expect(await problems(await brokenService(change({ id: 'stranger' })))).toEqual({
      'fail solvers stranger': expect.stringContaining('calls itself "local-solver"'),
    })
    expect(await problems(await brokenService((config) => ({ ...config, solvers: [] })))).toEqual({
      'fail solvers solvers': expect.stringContaining('nothing can be quoted'),
    })
    await stack.solver.setRunning(false)
    try {
      expect(await problems(stack.configs.serviceFile)).toEqual({
        'fail solvers local-solver': expect.stringContaining('did not answer /health'),
      })
    } finally {
      await stack.solver.setRunning(true)
    }
  })

  test('a database that is down, empty, or migrated by a newer version', async () => {
    const down = deadUrl.replace('http://', 'postgres://alice:wonderland@')
    const path = await brokenService((config) => ({ ...config, database_url: `${down}/tandem` }))
    expect(await problems(path)).toEqual({ 'fail database connection': expect.stringContaining('ECONNREFUSED') })
    expect(JSON.stringify(await diagnose(path))).not.toContain('wonderland')

    const fresh = await brokenService((config) => ({ ...config, database_url: databases[2].url }))
    expect(await problems(fresh)).toEqual({ 'warn database tables': expect.stringContaining('0001_baseline.sql') })
    // The check changed nothing.
    expect(await problems(fresh)).toEqual({ 'warn database tables': expect.stringContaining('0001_baseline.sql') })
    const db = await openDatabase(databases[2].url)
    await db.insertInto('migrations').values({ name: '9999_future.sql', checksum: 'other' }).execute()
    await db.destroy()
    expect(await problems(fresh)).toEqual({ 'fail database tables': expect.stringContaining('9999_future.sql') })
  })

  test('the database of another party, and a vault key that it was not made with; it changes neither', async () => {
    const [service, solver] = databases
    const owners = () =>
      Promise.all(
        [service, solver].map(async ({ url }) => {
          const db = await openDatabase(url)
          const rows = await db.selectFrom('database_owner').selectAll().execute()
          await db.destroy()
          return rows
        }),
      )
    const before = await owners()
    expect(before.map(([row]) => row?.party)).toEqual(['service', 'solver'])

    const swapped = await brokenService((config) => ({ ...config, database_url: solver.url }))
    expect(await problems(swapped)).toMatchObject({
      'fail database database_url': 'names the database of a solver, and this is a service: nothing was changed in it',
    })
    const asSolver = await broken('solver', (config) => ({ ...config, database_url: service.url }))
    expect(await problems(asSolver)).toMatchObject({
      'fail database database_url': expect.stringContaining('the database of a service, and this is a solver'),
    })
    await writeFile(join(folder, 'other-vault'), '42'.repeat(32), { mode: 0o600 })
    const otherKey = await brokenService((config) => ({ ...config, vault_key: { file: 'other-vault' } }))
    expect(await problems(otherKey)).toEqual({
      'fail database vault_key': expect.stringContaining('is not the key that this database was made with'),
    })
    // Only the check of secrets reports a key that cannot be read.
    const noKey = await brokenService((config) => ({ ...config, vault_key: { file: 'no-vault' } }))
    expect(Object.keys(await problems(noKey))).toEqual(['fail secrets vault_key'])

    const ofApi = (await diagnose(stack.configs.apiFile)).findings
    expect(ofApi.filter(({ level }) => level !== 'ok')).toEqual([])
    expect(ofApi).toContainEqual({ check: 'secrets', level: 'ok', about: 'sealing.seal_key', text: expect.stringContaining('keys/seal') })
    expect(ofApi).toContainEqual({ check: 'database', level: 'ok', about: 'owner', text: 'this service, with this sealing' })
    const claimKey = { check: 'secrets', about: 'earnings.signing_key.secp256k1' }
    expect(ofApi).toContainEqual({ ...claimKey, level: 'ok', text: 'only the public key is here: engines have the private key' })
    const { sealing, earnings } = JSON.parse(await readFile(stack.configs.apiFile, 'utf8'))
    const wrongKey = await brokenService(({ vault_key: _, ...config }) => ({
      ...config,
      earnings,
      sealing: { ...sealing, public_key: '42'.repeat(32) },
    }))
    expect(await problems(wrongKey)).toEqual({
      'fail database sealing': expect.stringContaining('is not the key that this database was made with'),
    })

    const well = (await diagnose(stack.configs.serviceFile)).findings
    expect(well).toContainEqual({ check: 'database', level: 'ok', about: 'owner', text: 'this service, with this vault_key' })
    expect(await owners()).toEqual(before)
  })

  test('an asset without a price, a chain without an asset, an account without coins', async () => {
    await writeFile(join(folder, 'poor-key'), '07'.repeat(32), { mode: 0o600 })
    const path = await brokenService((config) => {
      const { 'ethereum_localnet:eth': _price, ...prices } = config.prices as Json
      const deployments = Object.fromEntries(Object.entries(config.deployments as Json).filter(([id]) => !id.startsWith('arbitrum')))
      return { ...config, prices, deployments, relay_key: { file: 'poor-key' } }
    })
    await expect
      .poll(() => problems(path))
      .toEqual({
        'warn prices ethereum_localnet:eth': expect.stringContaining('not quoted'),
        'warn contracts arbitrum_localnet': expect.stringContaining('no active asset'),
        'fail fees ethereum_localnet': expect.stringContaining('has 0 of ethereum_localnet:eth'),
        'fail fees arbitrum_localnet': expect.stringContaining('has 0 of arbitrum_localnet:eth'),
      })
  })

  test('live prices, which source does not count, and a market that nobody lists', async () => {
    const ticker = await startTickerServer({ BTC: '100000', LTC: '100', ETH: '4000', USDC: '1' })
    try {
      ticker.break('kraken', 'redirect')
      const sources = (['kraken', 'bitstamp', 'bitfinex'] as const).map(ticker.source)
      const path = await brokenService((config) => ({ ...config, prices: {}, price_feed: { sources } }))
      const found = await problems(path)
      expect(Object.keys(found).filter((what) => what.endsWith('kraken'))).toHaveLength(5)
      expect(found).toMatchObject({
        'warn prices ETH kraken': expect.stringContaining('redirects are not followed'),
        'warn prices WBTC': expect.stringContaining('not quoted'),
        'warn prices WBTC bitstamp': expect.stringContaining('does not list this market'),
      })
      const { findings } = await diagnose(path)
      const dollars = findings.find(({ check, about }) => check === 'prices' && about === 'ETH')
      expect(dollars).toMatchObject({ level: 'ok', text: expect.stringMatching(/US dollars: kraken nothing, bitstamp \d/) })
    } finally {
      await ticker.close()
    }
  })

  test('a solver without inventory', async () => {
    await writeFile(join(folder, 'poor-key'), '08'.repeat(32), { mode: 0o600 })
    const found = await problems(await broken('solver', (config) => ({ ...config, private_key: { file: 'poor-key' } })))
    expect(Object.keys(found).filter((what) => what.startsWith('warn inventory'))).toHaveLength(8)
    expect(found).toMatchObject({ 'fail inventory all assets': expect.anything(), 'fail fees ethereum_localnet': expect.anything() })
  })

  test('a clock that is off', async () => {
    const { request } = stack.network.control('ethereum_localnet', evmLocal)
    await request({ method: 'evm_increaseTime', params: ['0x64'] })
    await request({ method: 'evm_mine', params: [] })
    await expect
      .poll(() => problems(stack.configs.serviceFile))
      .toEqual({
        'fail nodes ethereum_localnet': expect.stringMatching(/is \d+ s ahead of this machine's clock/),
      })
  })
})

test('the command prints text or JSON, and returns whether all checks passed', async () => {
  const answers: string[] = []
  const terminal = { answer: (text: string) => void answers.push(text), note: () => undefined }
  const path = await brokenService((config) => withNodes(config, { arbitrum_localnet: `${deadUrl}/v2/s3cret-key` }))
  expect(await doctorCommand({ config: path }, terminal)).toBe(false)
  expect(await doctorCommand({ config: path, json: true }, terminal)).toBe(false)
  expect(await doctorCommand({ config: stack.configs.solverFile, json: true }, terminal)).toBeTypeOf('boolean')
  const [text = '', json = ''] = answers
  expect(text).toContain("The service's effective configuration:")
  expect(text).toMatch(/^ok {4}database {7}version: PostgreSQL \d+$/m)
  expect(text).toMatch(/^FAIL {2}nodes {10}arbitrum_localnet: its node does not answer.*\n {6}-> start the node/m)
  expect(text).toMatch(/\d+ ok, 0 warnings, \d FAILED$/)
  expect(JSON.parse(json)).toMatchObject({ ok: false, party: 'service', findings: expect.anything() })
  expect(text + json).not.toContain('s3cret-key')
  expect(text).toContain('/v2/***')
})
