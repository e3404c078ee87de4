/** Tests how chains and assets are found in a registry. */
import { environments, localAssets, localChains } from '@tandem/families/registry.ts'
import { describe, expect, it } from 'vitest'
import type { AssetId } from '../asset.ts'
import { createRegistry, type Registry, type RegistryData } from './registry.ts'

const registry = createRegistry({
  chains: localChains,
  assets: localAssets,
  deployments: {
    'bitcoin_regtest:btc': { htlc: null, token: null },
    'ethereum_localnet:wbtc': { htlc: '0x01', token: '0x02' },
  },
  served: new Set(['bitcoin_regtest', 'ethereum_localnet']),
})

describe('a registry', () => {
  it('finds chains by id', () => {
    expect(registry.chain('bitcoin_regtest').family).toBe('bitcoin')
    expect(() => registry.chain('dogecoin')).toThrow(expect.objectContaining({ code: 'unsupported_pair' }))
    expect(() => registry.chain('constructor')).toThrow('not in the registry')
  })

  it('finds active assets by id in any case', () => {
    expect(registry.asset('Ethereum_Localnet:WBTC')).toMatchObject({
      id: 'ethereum_localnet:wbtc',
      deployment: { htlc: '0x01', token: '0x02' },
    })
    expect(registry.asset('bitcoin_regtest:btc').deployment).toEqual({ htlc: null, token: null })
  })

  it('tells unknown, malformed and inactive assets apart', () => {
    expect(() => registry.asset('ethereum_localnet:doge')).toThrow('not known here')
    expect(() => registry.asset('doge')).toThrow(expect.objectContaining({ code: 'bad_request' }))
    expect(() => registry.asset('ethereum_localnet:usdc')).toThrow('not active')
    expect(() => registry.asset('ethereum_localnet:usdc')).toThrow(expect.objectContaining({ code: 'unsupported_pair' }))
  })

  it('lists the assets of a chain, active or not', () => {
    expect(registry.assetsOf('ethereum_localnet').map((asset) => [asset.symbol, asset.deployment !== null])).toEqual([
      ['ETH', false],
      ['WBTC', true],
      ['USDC', false],
    ])
    expect(registry.assetsOf('dogecoin')).toEqual([])
  })
})

it('serves no chain under two names', () => {
  const chains = localChains.map((chain) => (chain.id === 'hypercore_localnet' ? { ...chain, reference: 'evm:31337' } : chain))
  const serving = (...served: string[]) => createRegistry({ chains, assets: localAssets, deployments: {}, served: new Set(served) })
  expect(() => serving('ethereum_localnet', 'hypercore_localnet')).toThrow(/are both evm:31337: configure one of them/)
  serving('arbitrum_localnet', 'hypercore_localnet')
})

describe('an asset is active', () => {
  const token = '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf'
  const { chains, assets } = environments.mainnet
  const open = (deployments: RegistryData['deployments'], served: readonly string[]) =>
    createRegistry({ chains, assets, deployments, served: new Set(served) })
  const activeIds = (registry: Registry) => registry.assets.filter(({ deployment }) => deployment !== null).map(({ id }) => id)

  it('when its chain is served and its HTLC deployed; inactive assets are listed too', () => {
    const deployments = { 'bitcoin:btc': { htlc: null }, 'base:cbbtc': { htlc: '0x01' }, 'citrea:cbtc': { htlc: '0x02' } }
    const registry = open(deployments, ['bitcoin', 'base', 'ethereum'])
    expect(activeIds(registry)).toEqual(['bitcoin:btc', 'base:cbbtc'])
    expect(registry.assets).toHaveLength(assets.length)
    expect(registry.chains).toBe(chains)
    expect(registry.isServed('base')).toBe(true)
    expect(registry.isServed('citrea')).toBe(false)
    expect(registry.isServed('dogecoin')).toBe(false)
    expect(() => registry.asset('citrea:cbtc')).toThrow('not active: this operator does not serve citrea')
    expect(() => registry.asset('ethereum:usdt')).toThrow('not active: no HTLC is deployed for it')
  })

  it('with the token of the registry', () => {
    const registry = open({ 'base:cbbtc': { htlc: '0x01' }, 'tron:usdt': { htlc: 'T1' } }, ['base', 'tron'])
    expect(registry.asset('base:cbbtc').deployment).toEqual({ htlc: '0x01', token })
    expect(registry.asset('tron:usdt').deployment.token).toBe('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')
  })

  it("with the operator's token, only where the registry has none", () => {
    const withToken = (asset: AssetId, given: string) => open({ [asset]: { htlc: '0x01', token: given } }, ['base', 'citrea'])
    expect(withToken('base:cbbtc', token).asset('base:cbbtc').deployment.token).toBe(token)
    expect(() => withToken('base:cbbtc', '0x02')).toThrow(`the token of base:cbbtc is ${token}, but the deployments say 0x02`)
    expect(() => withToken('citrea:cbtc', '0x02')).toThrow("citrea:cbtc is the chain's own coin")
  })

  it('not without a token address', () => {
    const deployments = { 'base_sepolia:wbtc': { htlc: '0x01' } }
    const registry = createRegistry({ ...environments.testnet, deployments, served: new Set(['base_sepolia']) })
    expect(activeIds(registry)).toEqual([])
    expect(() => registry.asset('base_sepolia:wbtc')).toThrow('not active: the address of its token is not confirmed')
    const named = { 'base_sepolia:wbtc': { htlc: '0xa1', token: '0xb2' } }
    const withOwn = createRegistry({ ...environments.testnet, deployments: named, served: new Set(['base_sepolia']) })
    expect(withOwn.asset('base_sepolia:wbtc').deployment).toEqual({ htlc: '0xa1', token: '0xb2' })
  })

  it('without a contract only on chains that need none', () => {
    const registry = open({ 'base:cbbtc': { htlc: null }, 'litecoin:ltc': { htlc: null } }, ['base', 'litecoin'])
    expect(activeIds(registry)).toEqual(['litecoin:ltc'])
    expect(() => registry.asset('base:cbbtc')).toThrow('no HTLC is deployed')
  })
})

describe('a registry refuses', () => {
  it('names that its environment does not have', () => {
    const open = (deployments: RegistryData['deployments'], served: readonly string[]) =>
      createRegistry({ ...environments.mainnet, deployments, served: new Set(served) })
    expect(() => open({}, ['dogecoin'])).toThrow('chain "dogecoin" is configured, but the registry does not have it')
    expect(() => open({ 'bitcoin:doge': { htlc: null } }, ['bitcoin'])).toThrow('"bitcoin:doge", which the registry does not have')
    expect(() => createRegistry({ chains: [], assets: environments.mainnet.assets, deployments: {}, served: new Set() })).toThrow(
      'is on a chain that is not in the registry',
    )
  })
})
