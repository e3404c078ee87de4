/** Tests that prices stop when their sources fail, differ or jump. */
import type { UsdPrice } from '@tandem/protocol/amount.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { PriceFeed } from './feed.ts'
import { type LiveFeedOptions, startLiveFeed } from './live-feed.ts'
import type { PriceSource } from './sources/source.ts'

const POLL_MS = 1000
const markets = new Map<AssetId, string>([
  ['a:btc', 'BTC'],
  ['b:wbtc', 'BTC'],
  ['a:eth', 'ETH'],
  ['a:odd', 'ODD'],
])
const fixed = new Map<AssetId, UsdPrice>([['a:usdc', 100n]])

let feed: PriceFeed | null = null
afterEach(async () => {
  await feed?.stop()
  vi.useRealTimers()
})

async function start(changes: Partial<LiveFeedOptions> = {}) {
  vi.useFakeTimers({ now: 1_700_000_000_000 })
  const world = { btc: 1000n as bigint | null, second: null as bigint | null, at: null as number | null, reads: 0 }
  const source = (name: string, btc: () => bigint | null): PriceSource => ({
    name,
    markets: ['BTC', 'ETH'],
    maxAgeMs: 10_000,
    async read() {
      world.reads++
      const at = world.at ?? Date.now()
      const price = btc()
      return [
        price === null ? { market: 'BTC', price: null, problem: 'it is down' } : { market: 'BTC', price, at, problem: null },
        price === null ? { market: 'ETH', price: null, problem: 'it is down' } : { market: 'ETH', price: 100n, at, problem: null },
      ]
    },
  })
  const started = await startLiveFeed({
    markets,
    fixed,
    sources: [source('one', () => world.btc), source('two', () => world.second ?? world.btc)],
    rules: { minSources: 2, maxDeviationBips: 100, maxJumpBips: 500 },
    pollMs: POLL_MS,
    past: [],
    now: Date.now,
    onReadings: () => undefined,
    ...changes,
  })
  feed = started
  return { feed: started, world, pass: (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000) }
}

describe('live prices', () => {
  test('are there at once; fixed prices stand beside them', async () => {
    const { feed } = await start()
    expect([feed.of('a:btc'), feed.of('b:wbtc'), feed.of('a:usdc')]).toEqual([1000n, 1000n, 100n])
    expect(feed.haltOf('a:btc', 'a:usdc')).toBeNull()
    expect(() => feed.of('a:none')).toThrow(expect.objectContaining({ code: 'unsupported_pair' }))
    expect(() => feed.of('a:odd')).toThrow(
      expect.objectContaining({ code: 'chain_unavailable', message: expect.stringContaining('no source lists ODD') }),
    )
  })

  test('outlive a failure of their sources until they are too old, and come back by themselves', async () => {
    const { feed, world, pass } = await start()
    world.btc = null
    await pass(9)
    expect(feed.find('a:btc')).toBe(1000n)
    await pass(2)
    expect(feed.find('a:btc')).toBeNull()
    expect(feed.haltOf('a:eth', 'a:btc')).toBe('the price of a:eth is unknown: 0 of 2 sources have a fresh price, and 2 are needed')
    expect(() => feed.of('a:btc')).toThrow(expect.objectContaining({ code: 'chain_unavailable', retryAfterSeconds: 10 }))
    world.btc = 1010n
    await pass(4)
    expect(feed.find('a:btc')).toBe(1010n)
  })

  test('a source that fails is asked less often', async () => {
    const { world, pass } = await start()
    world.btc = null
    await pass(40)
    // After 1, 2, 4, 8 … 40 s of silence, each source is read at most every 4 s.
    expect(world.reads).toBeLessThan(2 * 14)
  })

  test('halt while their sources differ too much', async () => {
    const { feed, world, pass } = await start()
    world.second = 1030n
    await pass(1)
    expect(feed.haltOf('a:btc', 'a:usdc')).toContain('more than 100 bips apart: one 0.00001, two 0.0000103')
    expect(feed.haltOf('a:eth', 'a:usdc')).toBeNull()
  })

  test('halt after a jump for five minutes, and not between assets of one market', async () => {
    const { feed, world, pass } = await start()
    await pass(30)
    world.btc = 1060n
    await pass(1)
    expect(feed.haltOf('a:btc', 'a:usdc')).toBe('the rate of a:btc to a:usdc moved by 600 bips within 300 s, and at most 500 are accepted')
    expect(feed.haltOf('a:btc', 'b:wbtc')).toBeNull()
    await pass(290)
    expect(feed.haltOf('a:usdc', 'a:btc')).not.toBeNull()
    await pass(20)
    expect(feed.haltOf('a:btc', 'a:usdc')).toBeNull()
  })

  test('a jump since the record of an earlier process counts', async () => {
    const past = [{ at: 1_700_000_000_000 - 60_000, prices: new Map([['BTC', 900n]]) }]
    const { feed } = await start({ past })
    expect(feed.haltOf('a:btc', 'a:usdc')).toContain('1111 bips')
  })

  test('the view names the problem of each source', async () => {
    const { feed, world, pass } = await start()
    world.at = Date.now()
    await pass(11)
    expect(feed.view().find(({ market }) => market === 'BTC')).toEqual({
      market: 'BTC',
      assets: ['a:btc', 'b:wbtc'],
      price: null,
      problem: '0 of 2 sources have a fresh price, and 2 are needed',
      readings: ['one', 'two'].map((source) => ({
        source,
        price: 1000n,
        ageSeconds: 11,
        problem: 'its price is 11 s old, and at most 10 s are accepted',
      })),
    })
  })

  test('volatility: none between fixed prices or within a market, the assumed one without history', async () => {
    const { feed } = await start()
    expect(feed.volatilityBips('a:btc', 'b:wbtc', 3600)).toBe(0)
    expect(feed.volatilityBips('a:usdc', 'a:usdc', 3600)).toBe(0)
    expect(feed.volatilityBips('a:btc', 'a:usdc', 3600)).toBe(100)
  })

  test('no source is asked after the feed has stopped', async () => {
    const { feed, world, pass } = await start()
    await feed.stop()
    const reads = world.reads
    await pass(10)
    expect(world.reads).toBe(reads)
  })

  test('a read that was under way is the last', async () => {
    const answers: (() => void)[] = []
    const slow: PriceSource = {
      name: 'slow',
      markets: ['BTC'],
      maxAgeMs: 1000,
      read: () => new Promise((resolve) => answers.push(() => resolve([]))),
    }
    const starting = start({ sources: [slow] })
    answers[0]?.()
    const { feed, pass } = await starting
    await pass(1)
    const stopping = feed.stop()
    answers[1]?.()
    await stopping
    await pass(10)
    expect(answers).toHaveLength(2)
  })
})
