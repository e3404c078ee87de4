/** Tests that a wrong configuration is refused and the error names the setting. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesToHex } from '@noble/hashes/utils.js'
import { createKey } from '@tandem/keys/keyring.ts'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { readKeyring, readPublicKeyring } from './keyring.ts'
import { loadConfig } from './load-config.ts'
import { ServiceConfig, SolverConfig } from './schema.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-config-'))
})
afterAll(() => rm(folder, { recursive: true }))

const ETH = 'ethereum_localnet:eth'
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
  solver_signing_key: { file: 'keys/signing' },
  solvers: [{ id: 'solver', url: 'http://127.0.0.1:9000', public_key: 'ab'.repeat(32) }],
}
const solver = {
  ...common,
  solver_id: 'solver',
  private_key: { file: 'keys/solver' },
  signing_key: { file: 'keys/signing' },
  services: [{ id: 'service', public_key: 'cd'.repeat(32) }],
  spread_bips: 30,
  fixed_fee_usd: '0.5',
  quote_seconds: 60,
}

const feed = { sources: [{ kind: 'coinbase' }, { kind: 'kraken' }] }
const testnet = { environment: 'testnet', deployments: {}, prices: {} }

async function write(value: unknown): Promise<string> {
  const path = join(folder, 'config.json')
  await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value))
  return path
}
const loadService = async (value: unknown) => loadConfig(ServiceConfig, await write(value))
const loadSolver = async (value: unknown) => loadConfig(SolverConfig, await write(value))

test('a command that uses the chains reports what a family refuses, and a command for the database alone does not ask the family', async () => {
  const path = await write({ ...service, chains: { ethereum_localnet: { endpoints: { ws: 'ws://127.0.0.1:8546' } } } })
  await expect(loadConfig(ServiceConfig, path)).rejects.toThrow('/chains/ethereum_localnet')
  await expect(loadConfig(ServiceConfig, path, 'database')).resolves.toMatchObject({ config: { chains: { ethereum_localnet: {} } } })
})

describe('the main networks of Sui, the XRP Ledger and HyperCore', () => {
  const mainnet = { ...service, environment: 'mainnet', deployments: {}, prices: {} }
  const keys = { secp256k1: { env: 'TANDEM_TEST_RELAY_KEY' }, ed25519: { env: 'TANDEM_TEST_RELAY_KEY' } }
  const chains = {
    sui: { endpoints: { rpc: 'https://sui.example' } },
    xrpl: { endpoints: { ws: 'wss://xrpl.example' } },
    hypercore: {},
  }

  test('are served with nodes of the operator, HyperCore also with public ones', async () => {
    await expect(loadService({ ...mainnet, relay_key: keys, chains })).resolves.toMatchObject({ config: { chains } })
    await expect(loadService({ ...mainnet, relay_key: keys, chains: { sui: {}, xrpl: {} } })).rejects.toThrow(
      /chains\/sui\/endpoints is missing: the registry lists 0 public nodes.*\n.*chains\/xrpl\/endpoints is missing/,
    )
  })

  test('HyperCore is not served beside HyperEVM, which is the same chain', async () => {
    await expect(loadService({ ...mainnet, chains: { hyperevm: {} } })).resolves.toMatchObject({ config: {} })
    await expect(loadService({ ...mainnet, chains: { hyperevm: {}, hypercore: {} } })).rejects.toThrow(
      'is not valid: /chains: the chains "hyperevm" and "hypercore" are both evm:999: configure one of them',
    )
  })
})

test('accepts a valid configuration unchanged', async () => {
  const full = {
    ...service,
    database_url: { env: 'TANDEM_TEST_DATABASE' },
    public_url: 'https://swap.example/base',
    chains: { bitcoin_regtest: { endpoints: { rpc: { file: 'keys/rpc' }, esplora: 'http://127.0.0.1:3000' } } },
    limits: { [ETH]: { min: '1', max: '2' } },
    fees: { service_bips: 5, max_affiliate_bips: 0 },
    policy: { default: 'closed', whitelist_overrides: ['*:eth <-> bitcoin*:*'] },
    app_id_headers: ['service-app-id', 'X-App'],
    rate_limit: { per_minute: 10 },
    allow_any_origin: true,
  }
  expect((await loadService(full)).config).toEqual(full)
  expect((await loadService(service)).config).toEqual(service)
  expect((await loadSolver(solver)).config).toEqual(solver)
})

describe('refuses an invalid configuration and names the setting', () => {
  test.each<{ where: string; value: unknown }>([
    {
      where: '/vault_kye is not a known setting; do you mean "vault_key"?',
      value: { ...service, vault_kye: { file: 'keys/vault' } },
    },
    {
      where: '/listen/hots is not a known setting; do you mean "host"?',
      value: { ...service, listen: { ...service.listen, hots: '0.0.0.0' } },
    },
    { where: '/listen/port must be <= 65535', value: { ...service, listen: { host: '127.0.0.1', port: 65536 } } },
    {
      where: '/chains/ethereum_localnet/rpc is not a known setting',
      value: { ...service, chains: { ethereum_localnet: { rpc: 'http://127.0.0.1' } } },
    },
    ...[[], [5], ['http://127.0.0.1', { fiel: 'url' }], Array.from({ length: 17 }, (_, i) => `http://127.0.0.1:${i}`)].map((rpc) => ({
      where: '/chains/ethereum_localnet/endpoints/rpc',
      value: { ...service, chains: { ethereum_localnet: { endpoints: { rpc } } } },
    })),
    ...['a-literal-key', ''].map((value) => ({
      where:
        '/chains/ethereum_localnet/endpoints/rpc/headers/x-api-key must be {"file": "<path>"}, {"env": "<variable>"} or {"command": ["<program>", …]}, never the value itself: configurations are copied and shown',
      value: {
        ...service,
        chains: { ethereum_localnet: { endpoints: { rpc: [{ url: 'http://127.0.0.1', headers: { 'x-api-key': value } }] } } },
      },
    })),
    {
      where: '/chains/ethereum_localnet/endpoints/rpc/heders is not a known setting; do you mean "headers"?',
      value: { ...service, chains: { ethereum_localnet: { endpoints: { rpc: { url: 'http://127.0.0.1', heders: {} } } } } },
    },
    ...[{ headers: {} }, { url: 'http://127.0.0.1', requests_per_second: 0 }].map((rpc) => ({
      where: '/chains/ethereum_localnet/endpoints/rpc must be a URL as a text, {"file"',
      value: { ...service, chains: { ethereum_localnet: { endpoints: { rpc } } } },
    })),
    { where: '/chains/ethereum_localnet/quorum must be >= 1', value: { ...service, chains: { ethereum_localnet: { quorum: 0 } } } },
    {
      where: '/solvers/0/public_kye is not a known setting; do you mean "public_key"?',
      value: { ...service, solvers: [{ ...service.solvers[0], public_kye: 1 }] },
    },
    {
      where: '/vault_key must be {"file": "<path>"}, {"env": "<variable>"} or {"command": ["<program>", …]}',
      value: { ...service, vault_key: '42'.repeat(32) },
    },
    { where: '/vault_key must be {"file"', value: { ...service, vault_key: { file: 'keys/vault', env: 'BOTH' } } },
    { where: '/vault_key/flie is not a known setting; do you mean "file"?', value: { ...service, vault_key: { flie: 'keys/vault' } } },
    { where: '/database_url must be a text, {"file"', value: { ...service, database_url: 5 } },
    { where: '/environment must be "local", "testnet" or "mainnet"', value: { ...service, environment: 'moon' } },
    { where: '/relay_key is missing', value: { ...service, relay_key: undefined } },
    { where: '/ must be object', value: [] },
    { where: '/spread_bips is not a known setting', value: { ...service, spread_bips: 1 } },
    { where: '/policy/default must be "open" or "closed"', value: { ...service, policy: { default: 'maybe' } } },
    { where: '/policy/blacklist is not a known setting', value: { ...service, policy: { default: 'open', blacklist: [] } } },
    { where: '/fees/service_bips must be <= 1000', value: { ...service, fees: { service_bips: 1001 } } },
    { where: '/app_id_headers/0 must be the name of a header', value: { ...service, app_id_headers: ['a b'] } },
    { where: '/rate_limit/per_minute must be >= 1', value: { ...service, rate_limit: { per_minute: 0 } } },
    { where: '/public_url must be an http or https URL', value: { ...service, public_url: 'shop.example' } },
    { where: '/limits/ethereum_localnet:eth/min must be a whole number', value: { ...service, limits: { [ETH]: { min: '0.1' } } } },
    { where: `/prices/${ETH} must be a decimal number in quotes`, value: { ...service, prices: { [ETH]: 3000 } } },
  ])('service: $where', async ({ where, value }) => {
    await expect(loadService(value)).rejects.toThrow(`config.json is not valid: ${where}`)
  })

  test.each<{ where: string; value: unknown }>([
    { where: '/spread_bips', value: { ...solver, spread_bips: 5001 } },
    { where: '/spread_bips', value: { ...solver, spread_bips: 0.5 } },
    { where: '/quote_seconds', value: { ...solver, quote_seconds: 4 } },
    { where: '/solver_id', value: { ...solver, solver_id: '' } },
    { where: '/fixed_fee_usd', value: { ...solver, fixed_fee_usd: 0.5 } },
    { where: '/fixed_fee_usd: dollar amounts have at most 6 decimals', value: { ...solver, fixed_fee_usd: '0.1234567' } },
    { where: '/services/0/public_key must be an ed25519 public key', value: { ...solver, services: [{ id: 's', public_key: 'AB' }] } },
    { where: '/vault_key is not a known setting', value: { ...solver, vault_key: { file: 'keys/vault' } } },
  ])('solver: $where', async ({ where, value }) => {
    await expect(loadSolver(value)).rejects.toThrow(`config.json is not valid: ${where}`)
  })

  test.each<{ where: string; change: object }>([
    {
      where: '/chains/etherum_localnet is not in the environment "local"; do you mean "ethereum_localnet"?',
      change: { chains: { etherum_localnet: { endpoints: { rpc: 'http://127.0.0.1' } } } },
    },
    { where: '/chains/ethereum is not in the environment "local"', change: { chains: { ethereum: { endpoints: {} } } } },
    {
      where: '/chains/ethereum_localnet/endpoints/esplora is not an endpoint of the family "evm": expected rpc',
      change: { chains: { ethereum_localnet: { endpoints: { esplora: 'http://127.0.0.1' } } } },
    },
    {
      where:
        '/chains/ethereum_localnet/endpoints is missing: the registry lists 0 public nodes, and a quorum of public nodes needs 2: list nodes',
      change: { chains: { ethereum_localnet: {} } },
    },
    ...['citrea', 'tron'].map((chain) => ({
      where: `/chains/${chain}/endpoints is missing: the registry lists one public node, and a quorum of public nodes needs 2: list nodes that you trust`,
      change: { environment: 'mainnet', chains: { [chain]: {} } },
    })),
    {
      where: '/chains/ethereum_localnet/quorum is 3, but only 2 nodes are listed',
      change: { chains: { ethereum_localnet: { endpoints: { rpc: [{ env: 'A' }, { env: 'B' }] }, quorum: 3 } } },
    },
    {
      where: '/chains/ethereum_localnet/quorum is 2, but only one node is listed',
      change: { chains: { ethereum_localnet: { endpoints: { rpc: 'http://127.0.0.1' }, quorum: 2 } } },
    },
    {
      where: '/chains/ethereum_localnet/endpoints/rpc/headers/Host is set by HTTP itself',
      change: { chains: { ethereum_localnet: { endpoints: { rpc: { url: 'http://127.0.0.1', headers: { Host: { env: 'A' } } } } } } },
    },
    {
      where: '/chains/ethereum_localnet/endpoints/rpc/headers/x key is not the name of a header',
      change: { chains: { ethereum_localnet: { endpoints: { rpc: { url: 'http://127.0.0.1', headers: { 'x key': { env: 'A' } } } } } } },
    },
    {
      where: '/chains/ethereum_localnet/endpoints/ws/requests_per_second works over HTTP only',
      change: {
        chains: { ethereum_localnet: { endpoints: { rpc: 'http://127.0.0.1', ws: { url: 'ws://127.0.0.1', requests_per_second: 5 } } } },
      },
    },
    {
      where: '/chains/ethereum_localnet/endpoints/rpc lists the same node twice',
      change: {
        chains: {
          ethereum_localnet: { endpoints: { rpc: ['http://127.0.0.1', { url: 'http://127.0.0.1', headers: { a: { env: 'A' } } }] } },
        },
      },
    },
    {
      where: '/chains/ethereum_localnet/endpoints/rpc lists the same node twice',
      change: { chains: { ethereum_localnet: { endpoints: { rpc: ['http://127.0.0.1', { env: 'B' }, 'http://127.0.0.1'] } } } },
    },
    {
      where: '/chains/bitcoin_regtest/quorum is 4, but only 3 nodes are listed',
      change: {
        chains: {
          bitcoin_regtest: { endpoints: { rpc: ['http://127.0.0.1:1', 'http://127.0.0.1:2'], esplora: 'http://127.0.0.1:3' }, quorum: 4 },
        },
      },
    },
    {
      where: '/chains/bitcoin_regtest/endpoints needs a node: rpc or esplora',
      change: { chains: { bitcoin_regtest: { endpoints: {} } } },
    },
    {
      where: '/deployments/ethereum_localnet:etth is not in the environment "local"; do you mean "ethereum_localnet:eth"?',
      change: { deployments: { 'ethereum_localnet:etth': { htlc: '0x01' } } },
    },
    { where: '/prices/Ethereum_localnet:eth is not in', change: { prices: { 'Ethereum_localnet:eth': '1' } } },
    { where: '/limits/doge:doge is not in the environment "local"', change: { limits: { 'doge:doge': {} } } },
    { where: `/prices/${ETH}: price must be a decimal number`, change: { prices: { [ETH]: '1.123456789' } } },
    {
      where: `/limits/${ETH} allows no amount: the minimum 9 is above the maximum 8`,
      change: { limits: { [ETH]: { min: '9', max: '8' } } },
    },
    {
      where: `/limits/${ETH} allows no amount: the minimum 1000000000000000 is above the maximum 8`,
      change: { limits: { [ETH]: { max: '8' } } },
    },
    { where: '/price_feed/markets/doge:doge is not in', change: { price_feed: { ...feed, markets: { 'doge:doge': 'DOGE' } } } },
    { where: '/price_feed/min_sources is 3, but only 2 sources are listed', change: { price_feed: { ...feed, min_sources: 3 } } },
    {
      where: '/price_feed/sources lists kraken twice: it would count twice in the median',
      change: { price_feed: { sources: [{ kind: 'kraken' }, { kind: 'kraken', url: 'https://other.example' }] } },
    },
    {
      where: '/price_feed/sources/1/chain is for an oracle, and kraken is an exchange',
      change: { price_feed: { sources: [{ kind: 'coinbase' }, { kind: 'kraken', chain: 'ethereum_localnet' }] } },
    },
    {
      where: '/price_feed/sources/1/chain must be one of the configured chains',
      change: { price_feed: { sources: [{ kind: 'coinbase' }, { kind: 'oracle', chain: 'moon', contracts: {} }] } },
    },
    {
      where: '/price_feed/sources/0/url must begin with https: otherwise anyone on the network path could change a price',
      change: {
        ...testnet,
        environment: 'mainnet',
        chains: {},
        price_feed: { sources: [{ kind: 'kraken', url: 'http://a.example' }, { kind: 'coinbase' }] },
      },
    },
    { where: '/solvers lists the id "solver" twice', change: { solvers: [service.solvers[0], service.solvers[0]] } },
    {
      where: '/policy: blacklist_pairs has "*:eth": a rule is "A -> B"',
      change: { policy: { default: 'open', blacklist_pairs: ['*:eth'] } },
    },
    {
      where: '/policy: "ethereum_localnet:usdx" matches no asset of the environment "local"; do you mean "ethereum_localnet:usdc"?',
      change: { policy: { default: 'open', blacklist_pairs: ['* -> ethereum_localnet:usdx'] } },
    },
    {
      where: '/chains/alpen_signet: a node of Alpen signet cannot be distinguished from one of another signet',
      change: { ...testnet, chains: { alpen_signet: { endpoints: { rpc: 'http://127.0.0.1' } } } },
    },
    {
      where: '/chains/alpen_signet/first_block_hash must be a block hash, 64 lower-case hex characters',
      change: { ...testnet, chains: { alpen_signet: { endpoints: { rpc: 'http://127.0.0.1' }, first_block_hash: `0x${'1'.repeat(64)}` } } },
    },
    {
      where: '/chains/alpen_signet/first_block_hash: expected the hash of block 1 as nodes print it',
      change: { ...testnet, chains: { alpen_signet: { endpoints: { rpc: 'http://127.0.0.1' }, first_block_hash: '0'.repeat(64) } } },
    },
    ...['bitcoin_testnet', 'base_sepolia'].map((chain) => ({
      where: `/chains/${chain}/first_block_hash: a node of ${chain === 'bitcoin_testnet' ? 'testnet4' : chain} is verified without it: remove the setting`,
      change: { ...testnet, chains: { [chain]: { endpoints: { rpc: 'http://127.0.0.1' }, first_block_hash: '1'.repeat(64) } } },
    })),
  ])('$where', async ({ where, change }) => {
    await expect(loadService({ ...service, ...change })).rejects.toThrow(`config.json is not valid: ${where}`)
  })

  test('a network that the registry cannot tell apart is served with the block that the operator names', async () => {
    const chains = { alpen_signet: { endpoints: { rpc: 'http://127.0.0.1' }, first_block_hash: '12'.repeat(32) } }
    const { config } = await loadService({ ...service, ...testnet, chains, deployments: { 'alpen_signet:btc': { htlc: null } } })
    expect(config.chains).toEqual(chains)
  })

  test.each(['inventory_targets', 'fee_reserves'])('%s must name assets that exist', async (section) => {
    const pricing = (asset: string) => ({ ...solver, pricing: { [section]: { [asset]: '1' } } })
    await expect(loadSolver(pricing('ethereum_localnet:etth'))).rejects.toThrow(
      `/pricing/${section}/ethereum_localnet:etth is not in the environment "local"; do you mean "${ETH}"?`,
    )
    await loadSolver(pricing(ETH))
  })

  test('reports all problems at once', async () => {
    const error = await loadService({ ...service, prices: { a: '1', b: '2' } }).catch((reason: unknown) => String(reason))
    expect(error).toMatch(/\/prices\/a is not in .*\n {2}and \/prices\/b is not in/)
  })

  test('does not quote a private key that was written in place of a reference', async () => {
    const key = '42'.repeat(32)
    const error = await loadService({ ...service, vault_key: key }).catch((reason: unknown) => reason)
    expect(String(error)).toContain('/vault_key')
    expect(String(error)).not.toContain(key)
  })

  test('refuses a file that is missing or not JSON', async () => {
    await expect(loadConfig(ServiceConfig, join(folder, 'none.json'))).rejects.toThrow(/the configuration .*none\.json does not exist/)
    await expect(loadService('{ not json')).rejects.toThrow(/config\.json is not valid JSON: line 1, column 3/)
  })
})

describe('private keys', () => {
  const key = { file: 'keys/key' }

  test('are one secp256k1 key, or one key per curve', async () => {
    expect((await loadSolver({ ...solver, private_key: key })).config.private_key).toEqual(key)
    const byCurve = { secp256k1: key, ed25519: { env: 'ED25519_KEY' }, stark: key }
    expect((await loadSolver({ ...solver, private_key: byCurve })).config.private_key).toEqual(byCurve)
  })

  test('are reported missing by curve and chain', async () => {
    await expect(loadSolver({ ...solver, private_key: { ed25519: key } })).rejects.toThrow(
      '/private_key/secp256k1 is missing: it signs on ethereum_localnet',
    )
    await expect(loadService({ ...service, relay_key: {} })).rejects.toThrow(
      '/relay_key/secp256k1 is missing: it signs on ethereum_localnet',
    )
  })

  test('are refused for an unknown curve, and when written into the file itself', async () => {
    await expect(loadSolver({ ...solver, private_key: { secp256k1: key, p256: key } })).rejects.toThrow(
      '/private_key/p256 is not a known setting',
    )
    await expect(loadSolver({ ...solver, private_key: '42'.repeat(32) })).rejects.toThrow('/private_key must be {"file": "<path>"}')
  })

  test("may be a chain's own: then its curve needs none for it", async () => {
    const own = { chains: { ethereum_localnet: { env: 'OWN' } } }
    expect((await loadSolver({ ...solver, private_key: own })).config.private_key).toEqual(own)
    const load = (private_key: object) => loadSolver({ ...solver, private_key })
    await expect(load({ secp256k1: key, chains: { etherum_localnet: { env: 'OWN' } } })).rejects.toThrow(
      '/private_key/chains/etherum_localnet is not in the environment "local"; do you mean "ethereum_localnet"?',
    )
    await expect(load({ chains: { arbitrum_localnet: { env: 'OWN' } } })).rejects.toThrow(
      '/private_key/secp256k1 is missing: it signs on ethereum_localnet',
    )
    await expect(load({ secp256k1: key, chains: { ethereum_localnet: key } })).rejects.toThrow(
      '/private_key/chains/ethereum_localnet names the same key as /private_key/secp256k1: leave it out, or name another key',
    )
    await expect(load({ ed25519: key, chains: { ethereum_localnet: key } })).rejects.toThrow(
      '/private_key/chains/ethereum_localnet names the same key as /private_key/ed25519: it signs on another curve: ethereum_localnet needs a key on secp256k1',
    )
    await expect(loadService({ ...service, relay_key: own })).rejects.toThrow('/relay_key/chains is not a known setting')
  })

  test("a chain's own key is read as one of its curve, and refused if it is another's", async () => {
    const [first, second] = ['42', '43'].map((byte) => byte.repeat(32))
    for (const [name, text] of Object.entries({ FIRST: first, SECOND: second, COPY: `0x${first}`, BROKEN: `${first}ab` }))
      vi.stubEnv(`TANDEM_TEST_${name}`, text)
    const env = (name: string) => ({ env: `TANDEM_TEST_${name}` })
    const loaded = await loadSolver(solver)
    const read = (chains: Record<string, { readonly env: string }>) => readKeyring({ secp256k1: env('FIRST'), chains }, loaded)
    const keyring = await read({ solana_localnet: env('SECOND') })
    expect(keyring.of({ chain: { id: 'solana_localnet' }, curve: 'ed25519' })).toMatchObject({
      publicKey: createKey('ed25519', '43'.repeat(32)).publicKey,
    })
    const refused = [
      [{ ethereum_localnet: env('COPY') }, 'the key of ethereum_localnet is also that of secp256k1: make another, or leave it out'],
      [{ solana_localnet: env('COPY') }, /^the key of solana_localnet is also that of secp256k1, which signs on another curve/],
      [
        { ethereum_localnet: env('BROKEN') },
        /^the key of ethereum_localnet: a private key must be 32 bytes as hex and valid on secp256k1$/,
      ],
    ] as const
    for (const [chains, message] of refused) {
      const error: unknown = await read(chains).catch((reason: unknown) => reason)
      expect(error).toMatchObject({ message: typeof message === 'string' ? message : expect.stringMatching(message) })
      expect(String(error)).not.toContain(first)
    }
    vi.unstubAllEnvs()
  })

  test('may be public, to watch; what signs refuses them, and says which', async () => {
    const [public_key, ed25519] = [createKey('secp256k1', '42'.repeat(32)), createKey('ed25519', '43'.repeat(32))].map((one) =>
      bytesToHex(one.publicKey),
    )
    const watching = { secp256k1: { public_key }, chains: { solana_localnet: { public_key: ed25519 } } }
    const loaded = await loadSolver({ ...solver, private_key: watching, signing_key: { public_key: ed25519 } })
    const keyring = await readPublicKeyring(loaded.config.private_key, loaded)
    const shown = [
      keyring.of({ chain: { id: 'ethereum_localnet' }, curve: 'secp256k1' }),
      keyring.of({ chain: { id: 'solana_localnet' }, curve: 'ed25519' }),
    ]
    expect(shown.map(({ publicKey }) => bytesToHex(publicKey))).toEqual([public_key, ed25519])
    await expect(readKeyring(loaded.config.private_key, loaded)).rejects.toThrow(
      '/private_key/secp256k1 is only a public key: what must sign needs the private key',
    )
    await expect(loaded.readSecret(loaded.config.signing_key)).rejects.toThrow('/signing_key is only a public key')
    const single = await loadSolver({ ...solver, private_key: { public_key } })
    expect((await readPublicKeyring(single.config.private_key, single)).findByCurve('secp256k1')).not.toBeNull()
    await expect(readKeyring(single.config.private_key, single)).rejects.toThrow('/private_key is only a public key')
    await expect(
      loadSolver({ ...solver, private_key: { ...watching, chains: { solana_localnet: { public_key: `${public_key}` } } } }),
    ).rejects.toThrow('/private_key/chains/solana_localnet')
    await expect(loadSolver({ ...solver, private_key: { ...watching, ed25519: { public_key: `02${'42'.repeat(32)}` } } })).rejects.toThrow(
      '/private_key/ed25519/public_key: a public key on ed25519 must be 64 hex characters and valid there',
    )
  })

  test('a public half is that of the private key, where only this is given', async () => {
    vi.stubEnv('TANDEM_TEST_KEY', '42'.repeat(32))
    const loaded = await loadSolver(solver)
    const keyring = await readPublicKeyring({ env: 'TANDEM_TEST_KEY' }, loaded)
    const { curve, publicKey } = createKey('secp256k1', '42'.repeat(32))
    expect(keyring.findByCurve('secp256k1')).toEqual({ curve, publicKey })
    vi.unstubAllEnvs()
  })

  test('are read by curve; a missing one is not replaced by another', async () => {
    vi.stubEnv('TANDEM_TEST_ED25519', '43'.repeat(32))
    await writeFile(join(folder, 'secp256k1'), `${'42'.repeat(32)}\n`)
    const loaded = await loadSolver(solver)
    const both = await readKeyring({ secp256k1: { file: 'secp256k1' }, ed25519: { env: 'TANDEM_TEST_ED25519' } }, loaded)
    expect(both.findByCurve('secp256k1')?.publicKey).toEqual(createKey('secp256k1', '42'.repeat(32)).publicKey)
    expect(both.findByCurve('ed25519')?.publicKey).toEqual(createKey('ed25519', '43'.repeat(32)).publicKey)
    const single = await readKeyring({ file: 'secp256k1' }, loaded)
    expect(single.findByCurve('secp256k1')?.publicKey).toEqual(both.findByCurve('secp256k1')?.publicKey)
    expect(single.findByCurve('ed25519')).toBeNull()
    vi.unstubAllEnvs()
  })
})

describe('a secret', () => {
  afterEach(() => vi.unstubAllEnvs())

  test('is read from a path relative to the configuration file', async () => {
    await mkdir(join(folder, 'keys'), { recursive: true })
    await writeFile(join(folder, 'keys', 'vault'), 'from a file\n')
    const { readSecret, config } = await loadService(service)
    expect(await readSecret(config.vault_key ?? '')).toBe('from a file')
    expect(await readSecret({ file: join(folder, 'keys', 'vault') })).toBe('from a file')
    await expect(readSecret({ file: 'keys/none' })).rejects.toThrow('keys/none')
  })

  test('is read from the environment', async () => {
    vi.stubEnv('TANDEM_TEST_RELAY_KEY', ' from the environment ')
    const { readSecret, config } = await loadService(service)
    expect(config.relay_key).toEqual({ env: 'TANDEM_TEST_RELAY_KEY' })
    expect(await readSecret({ env: 'TANDEM_TEST_RELAY_KEY' })).toBe('from the environment')
  })

  test('that is not set is reported by name', async () => {
    const { readSecret } = await loadService(service)
    await expect(readSecret({ env: 'TANDEM_TEST_RELAY_KEY' })).rejects.toThrow('TANDEM_TEST_RELAY_KEY is not set')
  })

  test('must not be empty: an empty file is a mistake', async () => {
    vi.stubEnv('TANDEM_TEST_RELAY_KEY', ' ')
    await writeFile(join(folder, 'empty'), '\n')
    const { readSecret } = await loadService(service)
    await expect(readSecret({ env: 'TANDEM_TEST_RELAY_KEY' })).rejects.toThrow('TANDEM_TEST_RELAY_KEY')
    await expect(readSecret({ file: 'empty' })).rejects.toThrow(/empty is empty/)
  })
})
