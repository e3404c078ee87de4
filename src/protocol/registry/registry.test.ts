import { describe, expect, it } from 'vitest'
import type { AssetId } from '../asset.ts'
import { localAssets, localChains } from './local.ts'
import { createRegistry } from './registry.ts'

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

describe('the local registry', () => {
  it('has each id once', () => {
    expect(new Set(localChains.map((chain) => chain.id)).size).toBe(localChains.length)
    expect(new Set(localChains.map((chain) => chain.reference)).size).toBe(localChains.length)
    expect(new Set(localAssets.map((asset) => asset.id)).size).toBe(localAssets.length)
  })

  it.each(localChains.map((chain) => ({ name: chain.id, chain })))('$name holds together', ({ chain }) => {
    expect(chain.requiredConfirmations).toBeGreaterThan(0)
    expect(chain.finalityBlocks).toBeGreaterThanOrEqual(chain.requiredConfirmations)
    expect(chain.clock.fastestMs).toBeLessThanOrEqual(chain.clock.slowestMs)
    expect(localAssets.find((asset) => asset.id === chain.nativeAsset)).toMatchObject({ chain: chain.id, tokenSchema: null })
  })

  it.each(localAssets.map((asset) => ({ name: asset.id, asset })))('$name holds together', ({ asset }) => {
    expect(localChains.map((chain) => chain.id)).toContain(asset.chain)
    expect(asset.id).toBe(`${asset.chain}:${asset.symbol.toLowerCase()}` as AssetId)
    expect(asset.minAmount).toBeGreaterThan(0n)
    expect(asset.minAmount).toBeLessThan(asset.maxAmount)
  })
})
