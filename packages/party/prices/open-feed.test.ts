/** Tests which source prices each asset. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { createRegistry } from '@tandem/protocol/registry/registry.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { createMemoryChain } from '../engine/chain.fixture.ts'
import type { PriceFeed } from './feed.ts'
import { openPriceFeed, type PriceFeedContext } from './open-feed.ts'
import { createStaticFeed } from './static-feed.ts'

const CHAIN = 'ethereum_localnet'
const DOLLARS = 100_000_000n
const registry = createRegistry({ chains: localChains, assets: localAssets, deployments: {}, served: new Set([CHAIN, 'tron_localnet']) })

let feed: PriceFeed | null = null
afterEach(() => feed?.stop())

/** Each stub feed returns the number in its name as a price in dollars. */
async function open(config: PriceFeedContext['config'], changes: Partial<ChainClient> = {}): Promise<PriceFeed> {
  const oracle = async (contract: string) => ({
    answer: BigInt(contract),
    decimals: 0,
    updatedAt: BigInt(Math.floor(Date.now() / 1000)) - 3000n,
  })
  const client = { ...createMemoryChain(CHAIN, 1n), oracle, ...changes }
  feed = await openPriceFeed({ config, registry, clients: new Map([[CHAIN, client]]) }, null)
  return feed
}
const source = (contracts: Readonly<Record<string, string>>) => ({ kind: 'oracle', chain: CHAIN, contracts }) as const

test('assets are priced by their market, by another that the operator names, or as fixed; so are coins that only pay fees', async () => {
  const prices = await open({
    prices: { [`${CHAIN}:usdc`]: '1.5' },
    price_feed: {
      sources: [source({ ETH: '4000', BTC: '100000', USDC: '1', TRX: '2', LTC: '5' })],
      min_sources: 1,
      markets: { [`${CHAIN}:wbtc`]: 'BTC' },
    },
  })
  expect(prices.of(`${CHAIN}:eth`)).toBe(4000n * DOLLARS)
  expect(prices.of(`${CHAIN}:wbtc`)).toBe(100_000n * DOLLARS)
  expect(prices.of(`${CHAIN}:usdc`)).toBe(150_000_000n)
  expect(prices.of('tron_localnet:trx')).toBe(2n * DOLLARS)
  expect(prices.find('tron_localnet:wbtc')).toBeNull()
  // This chain is not served.
  expect(() => prices.of('litecoin_regtest:ltc')).toThrow('there is no price')
})

test('feeds may be older than tickers, and a limit of their own applies', async () => {
  const given = { ...source({ ETH: '4000' }), max_age_seconds: 2000 }
  const prices = await open({ prices: {}, price_feed: { sources: [given], min_sources: 1 } })
  expect(prices.haltOf(`${CHAIN}:eth`, `${CHAIN}:eth`)).toContain('0 of 1 sources have a fresh price')
})

test('without a feed, prices are fixed; a chain without price feeds is refused by name', async () => {
  expect((await open({ prices: { [`${CHAIN}:eth`]: '3000' } })).of(`${CHAIN}:eth`)).toBe(3000n * DOLLARS)
  const plain = createMemoryChain(CHAIN, 1n)
  const opening = openPriceFeed(
    { config: { prices: {}, price_feed: { sources: [source({})] } }, registry, clients: new Map([[CHAIN, plain]]) },
    null,
  )
  await expect(opening).rejects.toThrow(`price feeds on ${CHAIN} cannot be read`)
})

describe('static feed', () => {
  const feed = createStaticFeed({ 'a:btc': 7n, 'a:free': 0n })

  test('a fixed price is found; an asset without one, or with 0, is refused in words', () => {
    expect(feed.of('a:btc')).toBe(7n)
    expect(feed.find('a:free')).toBeNull()
    for (const asset of ['a:free', 'a:other', 'a:__proto__'] as const)
      expect(() => feed.of(asset)).toThrow(
        expect.objectContaining({ code: 'unsupported_pair', message: `there is no price for ${asset} here` }),
      )
  })

  test('fixed prices neither halt nor move', () => {
    expect(feed.haltOf('a:btc', 'a:other')).toBeNull()
    expect(feed.volatilityBips('a:btc', 'a:other', 3600)).toBe(0)
    expect(feed.view()).toEqual([{ market: 'a:btc', assets: ['a:btc'], price: 7n, problem: null, readings: [] }])
  })
})
