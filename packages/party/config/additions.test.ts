/** An operator adds chains and assets to the registry. Every refusal names the place in the configuration. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { environments } from '@tandem/families/registry.ts'
import { requiredConfirmations } from '@tandem/protocol/confirmations.ts'
import type { AddedAsset, AddedChain } from '@tandem/protocol/registry/addable.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createNetwork } from '../engine/network.ts'
import { loadConfig } from './load-config.ts'
import { networkSettings } from './network-settings.ts'
import { ServiceConfig } from './schema.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tandem-additions-'))
})
afterAll(() => rm(folder, { recursive: true }))

const NODE = { endpoints: { rpc: 'http://127.0.0.1:8545' } }
const HTLC = `0x${'34'.repeat(20)}`
const TOKEN = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

const chain: AddedChain = {
  family: 'evm',
  kind: 'fast',
  reference: 'evm:100',
  name: 'Own Chain',
  coin: 'xOWN',
  icon: { text: 'OWN', color: '#336699' },
  explorer_url: 'https://explorer.example',
  block_ms: 5000,
  fastest_block_ms: 4000,
  slowest_block_ms: 30_000,
  confirmations: 12,
  finality_tag: 'finalized',
  details: { max_gwei_per_gas: '700', gas_price: 'legacy' },
}
const token: AddedAsset = {
  token: TOKEN,
  name: 'Own Dollar',
  symbol: 'OWND',
  decimals: 7,
  min: '10000000',
  max: '100000000000',
  icon: { text: 'OWD', color: '#112233' },
  market: 'USDC',
}
const base = {
  environment: 'mainnet',
  database_url: 'postgres://localhost/tandem',
  listen: { host: '127.0.0.1', port: 8080 },
  chains: { own: NODE, base: NODE },
  registry: { chains: { own: chain }, assets: { 'own:ownd': token } },
  deployments: { 'own:ownd': { htlc: HTLC } },
  prices: { 'own:ownd': '1', 'own:xown': '2' },
  vault_key: { file: 'keys/vault' },
  relay_key: { env: 'TANDEM_TEST_RELAY_KEY' },
  solver_signing_key: { file: 'keys/signing' },
  solvers: [],
}

async function load(config: object) {
  const path = join(folder, 'service.json')
  await writeFile(path, JSON.stringify(config))
  return loadConfig(ServiceConfig, path)
}

test('a chain of a known family and its token are listed, served and limited like those of the registry', async () => {
  const loaded = await load(base)
  const network = await createNetwork(await networkSettings(loaded))
  try {
    expect(network.clients.get('own')?.chain).toMatchObject({
      id: 'own',
      family: 'evm',
      reference: 'evm:100',
      displayName: 'Own Chain',
      nativeAsset: 'own:xown',
      blockMs: 5000n,
      blockBoundsMs: { fastest: 4000n, slowest: 30_000n },
      requiredConfirmations: 12,
      finalityTag: 'finalized',
      familyData: { fees: { gasPrice: 'legacy', dataFee: 'none', maxPerGas: 700n * 10n ** 9n }, hidesUnmined: false },
      timelocks: { source: 86_400n, destination: 7200n },
    })
    const asset = network.registry.asset('own:ownd')
    expect(asset).toMatchObject({
      decimals: 7,
      market: 'USDC',
      minAmount: 10_000_000n,
      deployment: { htlc: HTLC, token: TOKEN.toLowerCase() },
    })
    // Large amounts wait longer, as on the chains of the registry.
    expect(requiredConfirmations(network.registry.chain('own'), asset, asset.maxAmount, 'source')).toBe(60)
    expect(network.registry.chains).toHaveLength(environments.mainnet.chains.length + 1)
  } finally {
    await network.close()
  }
})

test.each<readonly [family: string, chain: string, token: string | null, decimals: number, htlc: string]>([
  ['a Solana mint', 'solana', 'So11111111111111111111111111111111111111112', 9, 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'],
  ['a Sui coin', 'sui', `0x${'ab'.repeat(32)}::gold::GOLD`, 6, `0x${'cd'.repeat(32)}`],
  ['a Starknet token', 'starknet', '0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8', 6, `0x${'0b'.repeat(31)}`],
  ['a TRC-20', 'tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u', 6, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
])('%s is added to a chain of the registry', async (_, on, address, decimals, htlc) => {
  const id = `${on}:gold`
  const endpoints = { rpc: 'http://127.0.0.1:1' }
  const gold = { ...token, token: address, symbol: 'GOLD', decimals }
  const config = {
    ...base,
    chains: { [on]: { endpoints } },
    registry: { assets: { [id]: gold } },
    deployments: { [id]: { htlc } },
    prices: {},
    relay_key: { ed25519: { env: 'A' }, stark: { env: 'B' }, secp256k1: { env: 'C' } },
  }
  // The checksum of a TRC-20 is wrong by one letter.
  if (on === 'tron') return expect(load(config)).rejects.toThrow(/\/registry\/assets\/tron:gold\/token: .*its checksum is wrong/)
  const network = await createNetwork(await networkSettings(await load(config)))
  expect(network.registry.asset(id)).toMatchObject({ decimals, chain: on, tokenSchema: expect.stringContaining(on) })
  await network.close()
})

const withChain = (changes: object) => ({ ...base, registry: { ...base.registry, chains: { own: { ...chain, ...changes } } } })
const withAsset = (changes: object, id = 'own:ownd') => ({
  ...base,
  deployments: {},
  prices: {},
  registry: { ...base.registry, assets: { 'own:ownd': token, [id]: { ...token, ...changes } } },
})
const inChain = '/registry/chains/own'
const inAsset = '/registry/assets/own:ownd'

describe('a mistake is refused with its place', () => {
  test.each<readonly [what: string, config: object, expected: string]>([
    ['an unknown family', withChain({ family: 'evn' }), `${inChain}/family: there is no family "evn"; do you mean "evm"`],
    ['a name of every object', withChain({ family: 'constructor' }), `${inChain}/family: there is no family "constructor"`],
    [
      'a family that takes no chains',
      withChain({ family: 'bitcoin' }),
      `${inChain}/family: chains of the family "bitcoin" cannot be added`,
    ],
    [
      'an unknown kind',
      withChain({ kind: 'slow' }),
      `${inChain}/kind: expected "ethereum" or "arbitrum" or "op_stack" or "fast", got "slow"`,
    ],
    ['a kind of another environment', withChain({ kind: 'local' }), `${inChain}/kind: expected "ethereum"`],
    ['a reference of another form', withChain({ reference: 'solana:100' }), `${inChain}/reference: expected the form "evm:<chain id>"`],
    [
      'a chain of the registry',
      withChain({ reference: 'evm:8453' }),
      `${inChain}/reference: the registry has this chain already, as "base"`,
    ],
    [
      'one chain under two names',
      {
        ...base,
        chains: { ...base.chains, own2: NODE },
        registry: { chains: { own: chain, own2: chain }, assets: { 'own:ownd': token, 'own2:ownd': token } },
      },
      'the chains "own" and "own2" are both evm:100',
    ],
    ['a missing block time', withChain({ block_ms: undefined }), `${inChain}/block_ms is missing: the kind "fast" does not say it`],
    ['missing confirmations', withChain({ confirmations: undefined }), `${inChain}/confirmations is missing`],
    ['a block time outside of its bounds', withChain({ block_ms: 40_000 }), `${inChain}: its average block of 40000 ms is not between`],
    [
      'a block slower than a halt',
      withChain({ slowest_block_ms: 700_000 }),
      `${inChain}: its slowest block of 700000 ms is slower than a halt`,
    ],
    ['inverted bounds', withChain({ fastest_block_ms: 50_000 }), `${inChain}: its fastest block of 50000 ms is slower than its slowest`],
    ['confirmations beyond finality', withChain({ final_blocks: 5 }), `${inChain}: blocks are final after 5, but deposits wait for 12`],
    ['confirmations beyond the margin', withChain({ confirmations: 200 }), `${inChain}: 200 confirmations take 1000 s on average`],
    [
      'a destination that leaves no time',
      withChain({ timelocks: { source: '86400', destination: '1200' } }),
      `${inChain}: as a destination it leaves no time to show the secret`,
    ],
    [
      'a pair whose source may end first',
      withChain({ timelocks: { source: '9000', destination: '7200' } }),
      '/registry/chains: own cannot be swapped to base: the timelock of the source must outlast',
    ],
    [
      'a pair that is unsafe in the other direction',
      withChain({ timelocks: { source: '172800', destination: '86400' } }),
      '/registry/chains: base cannot be swapped to own: the timelock of the source must outlast',
    ],
    ['an explorer without TLS', withChain({ explorer_url: 'http://explorer.example' }), `${inChain}: its explorer must be an https URL`],
    ['a script as an explorer', withChain({ explorer_url: 'javascript:alert(1)' }), `${inChain}: its explorer must be an https URL`],
    [
      'a quote in an explorer',
      withChain({ explorer_url: 'https://x.example/"onclick' }),
      `${inChain}: its explorer must be an https URL without`,
    ],
    [
      'an explorer with a user name',
      withChain({ explorer_url: 'https://a:b@x.example' }),
      `${inChain}: its explorer must be an https URL without a user`,
    ],
    [
      'an explorer without the hash',
      withChain({ explorer_tx_url: 'https://x.example/tx' }),
      `${inChain}: its explorer of transactions must have {tx} once`,
    ],
    ['a name with markup', withChain({ name: '<b>Own</b>' }), `${inChain}: its name "<b>Own</b>" is not plain text`],
    ['an icon with markup', withChain({ icon: { text: '"/>', color: '#336699' } }), `${inChain}: the text of its icon must be`],
    ['a colour with a script', withChain({ icon: { text: 'OWN', color: '#url(x)' } }), `${inChain}: the colour of its icon must be`],
    ['a detail that the family does not know', withChain({ details: { gas: '1' } }), `${inChain}/details: "gas" is not known`],
    ['a detail of the wrong form', withChain({ details: { max_gwei_per_gas: '-1' } }), `${inChain}/details: max_gwei_per_gas must be`],
    ['an unknown setting', withChain({ blok_ms: 1 }), `${inChain}/blok_ms is not a known setting; do you mean "block_ms"`],
    [
      'a name of the registry',
      { ...base, registry: { ...base.registry, chains: { own: chain, base: chain } } },
      '/registry/chains/base: the registry has a chain of this name already',
    ],
    [
      'a name of another environment',
      { ...base, registry: { ...base.registry, chains: { own: chain, base_sepolia: { ...chain, reference: 'evm:5' } } } },
      '/registry/chains/base_sepolia: the registry has a chain of this name already',
    ],
    [
      'a chain without an asset',
      { ...base, deployments: {}, prices: {}, registry: { chains: { own: chain } } },
      `${inChain}: no asset is on it`,
    ],
    [
      'an asset of the registry',
      withAsset({ symbol: 'cbBTC' }, 'base:cbbtc'),
      '/registry/assets/base:cbbtc: the registry has this asset already',
    ],
    ['an asset on no chain', withAsset({}, 'owm:ownd'), '/registry/assets/owm:ownd: there is no chain "owm"; do you mean "own"'],
    [
      'a name that is not its symbol',
      withAsset({}, 'own:gold'),
      '/registry/assets/own:gold: an asset has the name of its chain and its symbol: "own:ownd"',
    ],
    [
      'a mistyped address',
      withAsset({ token: TOKEN.replace('5aA', '5aa') }),
      `${inAsset}/token: "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed" is not an EVM address: its EIP-55 checksum`,
    ],
    [
      'an address of another family',
      withAsset({ token: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' }),
      `${inAsset}/token: expected the address of an ERC-20`,
    ],
    ['a token as the coin', withAsset({ token: null }), `${inAsset}/decimals: the coin of own has 18, got 7`],
    ['a coin of another name', withAsset({ token: null, decimals: 18 }), `${inAsset}/token: the coin of own is own:xown`],
    ['too many decimals', withAsset({ decimals: 37 }), `${inAsset}/decimals must be <= 36, got 37`],
    [
      'more decimals than a mint has',
      withAsset({ token: 'So11111111111111111111111111111111111111112', decimals: 19 }, 'solana:ownd'),
      '/registry/assets/solana:ownd/decimals: expected a whole number from 0 to 18',
    ],
    [
      'limits that allow nothing',
      withAsset({ min: '5', max: '5' }),
      `${inAsset}: its smallest swap of 5 must be above 0 and below its largest of 5`,
    ],
    ['a smallest swap of nothing', withAsset({ min: '0' }), `${inAsset}: its smallest swap of 0 must be above 0`],
    ['a missing icon', withAsset({ icon: undefined }), `${inAsset}/icon is missing: the registry has no icon of OWND`],
    [
      'another icon of a known coin',
      withAsset({ symbol: 'USDC' }, 'own:usdc'),
      '/registry/assets/own:usdc/icon: monad:usdc has the same symbol and another icon',
    ],
    ['a name with markup', withAsset({ name: 'A&B' }), `${inAsset}: its name "A&B" is not plain text`],
    [
      'a token under two names',
      withAsset({ symbol: 'OWN2', token: TOKEN.toLowerCase() }, 'own:own2'),
      `own:own2 and own:ownd are both the token ${TOKEN.toLowerCase()}`,
    ],
    [
      'a token of the registry under another name',
      withAsset({ symbol: 'BTC2', token: '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf' }, 'base:btc2'),
      'base:btc2 and base:cbbtc are both the token 0xcbb7c0000ab88b473b1f5afd9ef808440eed33bf',
    ],
    [
      'a token on a family without tokens',
      withAsset({ token: HTLC }, 'bitcoin:ownd'),
      '/registry/assets/bitcoin:ownd/token: there are no tokens on bitcoin',
    ],
  ])('%s', async (_, config, expected) => {
    const refused = await load(config).then(
      () => 'nothing was refused',
      (error: Error) => error.message,
    )
    expect(refused).toContain(expected)
  })
})
