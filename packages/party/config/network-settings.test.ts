/** Tests how nodes, headers, deployments and limits are read from the configuration. */
import { familyNamed } from '@tandem/families/index.ts'
import { environments } from '@tandem/families/registry.ts'
import { expect, test } from 'vitest'
import { createNetwork } from '../engine/network.ts'
import type { LoadedConfig } from './load-config.ts'
import { networkSettings } from './network-settings.ts'
import type { PartyConfig } from './schema.ts'

const load = (config: Partial<PartyConfig>): LoadedConfig<PartyConfig> => ({
  rows: environments[config.environment ?? 'local'],
  config: {
    environment: 'local',
    database_url: 'postgres://127.0.0.1/none',
    listen: { host: '127.0.0.1', port: 0 },
    chains: {},
    prices: {},
    ...config,
  },
  pathOf: (file) => file,
  secretWarnings: () => [],
  readSecret: async (reference) => (typeof reference === 'string' ? reference : `http://read-from/${Object.values(reference)[0]}`),
})

test('reads node URLs that are secrets', async () => {
  const endpoints = { rpc: { env: 'RPC_URL' }, esplora: 'http://127.0.0.1:3000' }
  expect((await networkSettings(load({ chains: { bitcoin_regtest: { endpoints } } }))).chains).toEqual({
    bitcoin_regtest: { endpoints: { rpc: ['http://read-from/RPC_URL'], esplora: ['http://127.0.0.1:3000'] }, quorum: 1 },
  })
})

test('reads headers of nodes, which are secrets, and refuses what no header may have', async () => {
  const rpc = { url: { env: 'RPC_URL' }, headers: { 'x-api-key': { file: 'keys/api' } }, requests_per_second: 5 }
  const settings = (value: string) =>
    networkSettings({
      ...load({ chains: { bitcoin_regtest: { endpoints: { rpc } } } }),
      readSecret: async (given) => ('env' in Object(given) ? 'http://node' : value),
    })
  expect((await networkSettings(load({ chains: { bitcoin_regtest: { endpoints: { rpc } } } }))).chains).toEqual({
    bitcoin_regtest: {
      endpoints: {
        rpc: [{ url: 'http://read-from/RPC_URL', headers: { 'x-api-key': 'http://read-from/keys/api' }, requestsPerSecond: 5 }],
      },
      quorum: 1,
    },
  })
  await expect(settings('two\nlines-of-a-key')).rejects.toThrow(
    /^\/chains\/bitcoin_regtest\/endpoints\/rpc: the value of the header x-api-key has a character that no header may have: it must be one line of plain text$/,
  )
})

test('uses the listed nodes of a chain, or else public nodes with a quorum of two', async () => {
  const rpc = ['http://127.0.0.1:1', { env: 'RPC_URL' }]
  const { chains } = await networkSettings(
    load({ environment: 'testnet', chains: { base_sepolia: { endpoints: { rpc }, quorum: 2 }, ethereum_sepolia: {} } }),
  )
  expect(chains).toEqual({
    base_sepolia: { endpoints: { rpc: ['http://127.0.0.1:1', 'http://read-from/RPC_URL'] }, quorum: 2 },
    ethereum_sepolia: { endpoints: { rpc: expect.arrayContaining([expect.stringMatching(/^https:/)]) }, quorum: 2 },
  })
})

test('merges the published deployments with those of the operator', async () => {
  const htlc = '0x0000000000000000000000000000000000000001'
  const settings = await networkSettings(
    load({
      environment: 'testnet',
      chains: {
        bitcoin_testnet: { endpoints: { rpc: 'http://127.0.0.1:1' } },
        alpen_testnet: { endpoints: { rpc: 'http://127.0.0.1:1' } },
        base_sepolia: { endpoints: { rpc: 'http://127.0.0.1:1' } },
      },
      deployments: { 'alpen_testnet:sbtc': { htlc }, 'base_sepolia:usdc': { htlc }, 'arbitrum_sepolia:usdc': { htlc } },
      limits: { 'bitcoin_testnet:btc': { min: '12345' } },
    }),
  )
  const { registry } = await createNetwork(settings)
  expect(registry.asset('bitcoin_testnet:btc')).toMatchObject({ deployment: { htlc: null, token: null }, minAmount: 12345n })
  expect(registry.asset('alpen_testnet:sbtc').deployment).toEqual({ htlc, token: null })
  expect(registry.asset('base_sepolia:usdc').deployment).toEqual({ htlc, token: expect.stringMatching(/^0x[0-9a-f]{40}$/) })
  expect(() => registry.asset('arbitrum_sepolia:usdc')).toThrow('does not serve')
})

test('a network that is told apart by block 1 is active with the hash that the operator names', async () => {
  const hash = '12'.repeat(32)
  const settings = await networkSettings(
    load({
      environment: 'testnet',
      chains: { alpen_signet: { endpoints: { rpc: 'http://127.0.0.1:1' }, first_block_hash: hash } },
      deployments: { 'alpen_signet:btc': { htlc: null } },
    }),
  )
  const { registry, clients, close } = await createNetwork(settings)
  expect(registry.asset('alpen_signet:btc').deployment).toEqual({ htlc: null, token: null })
  expect(familyNamed('bitcoin').firstBlock?.of(registry.chain('alpen_signet'))).toBe(hash)
  expect([...clients.keys()]).toEqual(['alpen_signet'])
  await close()
})

test("an operator's deployment overrides the published one", async () => {
  const deployments = { 'bitcoin_testnet:btc': { htlc: 'elsewhere' } }
  expect((await networkSettings(load({ environment: 'testnet', deployments }))).deployments).toMatchObject(deployments)
})

test('reads limits as bigints', async () => {
  const settings = await networkSettings(load({ limits: { 'bitcoin_regtest:btc': { min: '5', max: '90071992547409930' }, 'a:b': {} } }))
  expect(settings.limits).toEqual({ 'bitcoin_regtest:btc': { min: 5n, max: 90071992547409930n }, 'a:b': {} })
})
