/** Tests the endpoints for chains, assets, policy and schemas. */
import { gunzipSync } from 'node:zlib'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import type { ChainRecord } from '@tandem/protocol/wire/chain.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { afterEach, expect, test } from 'vitest'
import { fakeAddresses } from '../../testing/fake-chain.fixture.ts'
import { btc, inactive, orderBody, sharedService, startTestService, usdc, wbtc } from '../../testing/service.fixture.ts'

const service = sharedService()
const strict = opened(() =>
  startTestService({
    environment: 'local',
    publicUrl: 'https://swaps.example',
    policy: {
      default: 'open',
      isolation_groups: ['ethereum_localnet:eth <-> arbitrum_localnet:eth'],
      blacklist_pairs: [`${btc} -> ethereum_localnet:*`],
      whitelist_overrides: [`${btc} -> ${wbtc}`],
    },
  }),
)
afterEach(() => {
  service.reset()
  strict.reset()
})

type Listed = { readonly id: string }
const chainsOf = async (query: string, from = service) =>
  (await from.call('GET', `/v2/chains?${query}`)).body.result as readonly (Listed & {
    chain: string
    solver_keys: readonly string[]
    takes_deposits: boolean
    assets: readonly Listed[]
  })[]
const assetsOf = async (query: string, from = service) =>
  ((await from.call('GET', `/v2/assets?${query}`)).body.result as readonly Listed[]).map(({ id }) => id)

const wbtcRecord = (base: string) => ({
  id: wbtc,
  name: 'Wrapped Bitcoin:WBTC',
  chain: 'ethereum_localnet',
  chain_id: 'evm:31337',
  icon: `${base}/icons/wbtc.svg`,
  htlc: { address: `0x${'e'.repeat(39)}3`, schema: 'evm:htlc_erc20' },
  token: { address: `0x${'f'.repeat(39)}3`, schema: 'evm:erc20' },
  decimals: 8,
  min_amount: '10000',
  max_amount: '100000000',
  price: 60000,
  fiat_value: '60000',
  is_active: true,
})

test('/chains returns every field of chains and their assets', async () => {
  const chains = await chainsOf('')
  expect(chains.map(({ chain }) => chain)).toEqual(localChains.map(({ id }) => id))
  const { assets = [], ...ethereum } = chains[2] ?? {}
  expect(ethereum).toEqual({
    id: 'evm:31337',
    chain: 'ethereum_localnet',
    name: 'ethereum_localnet',
    display: 'Ethereum Localnet',
    native_asset_id: 'ethereum_localnet:eth',
    icon: `${service.url}/icons/ethereum_localnet.svg`,
    explorer_url: expect.any(String),
    explorer_tx_url: '',
    confirmation_target: 1,
    source_timelock: '1200',
    destination_timelock: '180',
    timelock_unit: 'seconds',
    supported_htlc_schemas: ['evm:htlc', 'evm:htlc_erc20'],
    supported_token_schemas: ['evm:erc20'],
    solver_keys: [],
    takes_deposits: false,
    is_active: true,
  })
  expect(assets.find(({ id }) => id === wbtc)).toEqual(wbtcRecord(service.url))
  expect(chains[3]?.assets.find(({ id }) => id === inactive)).toMatchObject({ is_active: false })
})

test('/chains says where an order can be paid at an address: where the HTLC is one, or swaps have addresses', async () => {
  const takers = async () => (await chainsOf('')).filter((chain) => chain.takes_deposits).map(({ chain }) => chain)
  const keyed = localChains.filter(({ clock }) => clock.unit === 'blocks').map(({ id }) => id)
  expect(await takers()).toEqual(keyed)
  const ethereum = service.chains.get('ethereum_localnet')
  Object.assign(ethereum ?? {}, { prefund: fakeAddresses() })
  expect(await takers()).toEqual(expect.arrayContaining([...keyed, 'ethereum_localnet']))
  Object.assign(ethereum ?? {}, { prefund: { ...fakeAddresses(), isProven: () => false } })
  expect(await takers()).toEqual(keyed)
  const { addressOf: _, ...ofPayers } = fakeAddresses()
  Object.assign(ethereum ?? {}, { prefund: ofPayers })
  expect(await takers()).toEqual(keyed)
  Object.assign(ethereum ?? {}, { prefund: undefined })
})

test('/chains names the keys of solvers where parties are keys, from their first order on', async () => {
  const keys = async () => (await chainsOf('chain=bitcoin_regtest,ethereum_localnet')).map((chain) => [chain.chain, chain.solver_keys])
  expect(await keys()).toEqual([
    ['bitcoin_regtest', []],
    ['ethereum_localnet', []],
  ])
  expect(await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })).toMatchObject({ status: 200 })
  expect(await keys()).toEqual([
    ['bitcoin_regtest', ['5'.repeat(64)]],
    ['ethereum_localnet', []],
  ])
})

test('/schemas/{name} has every schema that a chain or an asset names', async () => {
  const chains = (await service.call('GET', '/v2/chains')).body.result as readonly ChainRecord[]
  const named = chains.flatMap((chain) => [
    ...chain.supported_htlc_schemas,
    ...chain.supported_token_schemas,
    ...chain.assets.flatMap(({ htlc, token }) => [htlc.schema, ...(token.schema === '' ? [] : [token.schema])]),
  ])
  for (const name of new Set(named))
    expect(await service.call('GET', `/v2/schemas/${name}`), name).toMatchObject({ status: 200, body: { result: { name } } })
  expect(new Set(named).size).toBeGreaterThan(10)
})

test('/assets returns the same assets in one list', async () => {
  const { body } = await strict.call('GET', '/v2/assets')
  const assets = body.result as readonly Listed[]
  expect(assets.map(({ id }) => id).sort()).toEqual(localAssets.map(({ id }) => id).sort())
  expect(assets.find(({ id }) => id === wbtc)).toEqual(wbtcRecord('https://swaps.example'))
})

test('/chains and /assets filter by chain, by source asset and by activity', async () => {
  expect((await chainsOf('chain=bitcoin_regtest')).map(({ chain }) => chain)).toEqual(['bitcoin_regtest'])
  expect(await assetsOf('chain=BITCOIN_regtest')).toEqual([btc])
  expect(await assetsOf('chain=bitcoin_regtest,ethereum_localnet')).toHaveLength(4)
  const targets = await assetsOf(`from=${wbtc.toUpperCase()}`)
  expect(targets).toContain(usdc)
  expect(targets).not.toContain(wbtc)
  expect(targets).not.toContain(inactive)
  service.world.unreachable.add('bitcoin_regtest')
  expect(await assetsOf('active=true')).not.toContain(btc)
  expect((await chainsOf('active=false')).map(({ chain }) => chain)).toEqual(['bitcoin_regtest'])
  for (const path of ['chains', 'assets'])
    expect(await service.call('GET', `/v2/${path}?from=moon:cheese`)).toMatchObject({ status: 400, body: { code: 'unsupported_pair' } })
})

test("/policy returns the operator's policy, and lists, quotes and orders obey it", async () => {
  expect((await strict.call('GET', '/v2/policy')).body.result).toEqual({
    default: 'open',
    isolation_groups: ['ethereum_localnet:eth <-> arbitrum_localnet:eth'],
    blacklist_pairs: [`${btc} -> ethereum_localnet:*`],
    whitelist_overrides: [`${btc} -> ${wbtc}`],
  })
  expect(await assetsOf(`from=${btc}`, strict)).toEqual([
    'litecoin_regtest:ltc',
    wbtc,
    usdc,
    'hypercore_localnet:purr',
    'tron_localnet:usdt',
    'tron_localnet:wbtc',
    'solana_localnet:sol',
    'solana_localnet:usdc',
    'solana_localnet:cbbtc',
    'starknet_localnet:wbtc',
    'sui_localnet:sui',
    'sui_localnet:usdc',
    'xrpl_localnet:xrp',
  ])
  expect(await assetsOf('from=ethereum_localnet:eth', strict)).toEqual(['arbitrum_localnet:eth'])
  const refused = { status: 400, body: { code: 'unsupported_pair', error: expect.stringContaining('policy') } }
  expect(await strict.call('GET', `/v2/quote?from=${btc}&to=ethereum_localnet:usdc&from_amount=1000000`)).toMatchObject(refused)
  const before = await strict.countRows()
  const body = {
    source: { asset: btc, amount: '1000000' },
    destination: { asset: 'ethereum_localnet:usdc', owner: `0x${'b0'.repeat(20)}`, amount: '990000' },
  }
  expect(await strict.call('POST', '/v2/orders', { body })).toMatchObject(refused)
  expect(await strict.countRows()).toEqual(before)
})

test.each(['chains', 'assets'])('/%s supports If-None-Match and gzip', async (path) => {
  const first = await service.call('GET', `/v2/${path}`)
  const etag = first.headers.get('etag') ?? ''
  expect(etag).toMatch(/^W\/"/)
  const again = await fetch(`${service.url}/v2/${path}`, { headers: { 'service-app-id': service.appId, 'if-none-match': etag } })
  expect({ status: again.status, text: await again.text() }).toEqual({ status: 304, text: '' })
  service.world.unreachable.add('bitcoin_regtest')
  const changed = await fetch(`${service.url}/v2/${path}`, { headers: { 'service-app-id': service.appId, 'if-none-match': etag } })
  expect(changed.status).toBe(200)
  await changed.text()
  const raw = await strict.raw(`/v2/${path}`, { 'accept-encoding': 'gzip' })
  expect(raw.headers['content-encoding']).toBe('gzip')
  expect(JSON.parse(gunzipSync(raw.body).toString('utf8'))).toMatchObject({ status: 'Ok' })
  const plain = await strict.raw(`/v2/${path}`, {})
  expect(plain.headers['content-encoding']).toBeUndefined()
})

test('/schemas returns the schemas of all contracts, or of one by name', async () => {
  const { body } = await service.call('GET', '/v2/schemas')
  const schemas = body.result as readonly { name: string; schema: unknown }[]
  expect(schemas.map(({ name }) => name)).toEqual(expect.arrayContaining(['bitcoin:htlc', 'evm:htlc', 'evm:htlc_erc20', 'evm:erc20']))
  const { body: one } = await service.call('GET', '/v2/schemas/EVM:htlc_erc20')
  expect(one.result).toEqual(schemas.find(({ name }) => name === 'evm:htlc_erc20'))
  const { schema } = one.result as { schema: readonly { name?: string }[] }
  expect(schema.map(({ name }) => name)).toEqual(expect.arrayContaining(['initiate', 'redeem', 'refund', 'token', 'eip712Domain']))
  expect(await service.call('GET', '/v2/schemas/evm:nothing')).toMatchObject({ status: 404, body: { code: 'not_found' } })
})

test('serves every icon that the catalog links to, without an app id', async () => {
  const chains = await chainsOf('')
  const urls = new Set(chains.flatMap((chain) => [chain, ...chain.assets]).map((record) => (record as { icon?: string }).icon ?? 'none'))
  expect(urls.size).toBe(new Set([...localChains.map(({ id }) => id), ...localAssets.map(({ symbol }) => symbol)]).size)
  for (const url of urls) {
    const response = await fetch(url)
    expect({ url, status: response.status, type: response.headers.get('content-type') }).toEqual({
      url,
      status: 200,
      type: 'image/svg+xml',
    })
    expect(await response.text()).toMatch(/^<svg .*<\/svg>$/)
  }
  for (const wrong of ['wbtc', 'WBTC.svg', 'moon.svg', '..%2f..%2fpackage.json', '__proto__.svg'])
    expect((await fetch(`${service.url}/icons/${wrong}`)).status).toBe(404)
})
