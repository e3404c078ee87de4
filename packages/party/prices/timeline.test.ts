/** Tests how jumps and volatility are derived from past prices. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readPricesSince } from '../store/prices/price-records.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { statementsOf } from '../store/statements.fixture.ts'
import type { MarketView } from './feed.ts'
import { createPriceLog } from './price-log.ts'
import { createTimeline, rootRoundedUp, SAMPLE_MS } from './timeline.ts'

const START = 1_700_000_000_000
const snapshot = (index: number, prices: Readonly<Record<string, bigint>>) => ({
  at: START + index * SAMPLE_MS,
  prices: new Map(Object.entries(prices)),
})

function timelineOf(prices: readonly Readonly<Record<string, bigint>>[]) {
  const timeline = createTimeline()
  for (const [index, one] of prices.entries()) timeline.note(snapshot(index, one).at, snapshot(index, one).prices)
  return timeline
}

describe('how prices moved', () => {
  test('a jump counts within its window, in either direction, and not for a pair that moved together', () => {
    const timeline = timelineOf([
      { A: 100n, B: 50n, C: 7n },
      { A: 110n, B: 55n, C: 7n },
    ])
    const now = snapshot(2, { A: 110n, B: 55n, C: 7n })
    expect(timeline.moveBips(now, 'A', 'C', 60_000)).toBe(1000n)
    expect(timeline.moveBips(now, 'C', 'A', 60_000)).toBe(1000n)
    expect(timeline.moveBips(now, 'A', 'B', 60_000)).toBe(0n)
    expect(timeline.moveBips(now, 'A', 'C', SAMPLE_MS)).toBe(0n)
    expect(timeline.moveBips(now, 'A', 'unknown', 60_000)).toBe(0n)
    expect(createTimeline().moveBips(now, 'A', 'C', 60_000)).toBe(0n)
  })

  test('after a clock that was ahead is set back, what it recorded does not count, and prices are noted again', () => {
    // A restart does not end the halt, because the samples come from the database.
    const timeline = createTimeline([snapshot(0, { A: 100n, B: 1n }), snapshot(100_000, { A: 500n, B: 1n })])
    const prices = new Map(Object.entries({ A: 100n, B: 1n }))
    expect(timeline.moveBips(snapshot(1, { A: 100n, B: 1n }), 'A', 'B', 60_000)).toBe(0n)
    for (let index = 1; index <= 20; index++) timeline.note(snapshot(index, {}).at, prices)
    // Twenty samples never moved.
    expect(timeline.volatilityBips('A', 'B', 3600)).toBe(0)
  })

  test('volatility grows with the root of the time', () => {
    // Each sample moves by 1 %: 100 bips in ten seconds, ten times that in a thousand.
    const timeline = timelineOf(Array.from({ length: 40 }, (_, i) => ({ A: i % 2 === 0 ? 1_000_000n : 1_010_000n, B: 1n })))
    expect(timeline.volatilityBips('A', 'B', 10)).toBe(100)
    expect(timeline.volatilityBips('B', 'A', 1000)).toBe(1000)
    expect(timeline.volatilityBips('A', 'A', 1000)).toBe(0)
    expect(timeline.volatilityBips('A', 'B', 0)).toBe(0)
  })

  test('with too little history it assumes one percent an hour', () => {
    const timeline = timelineOf([{ A: 1n, B: 1n }])
    expect(timeline.volatilityBips('A', 'B', 3600)).toBe(100)
    expect(timeline.volatilityBips('A', 'B', 900)).toBe(50)
  })

  test('a market that comes later is in the same sample', () => {
    const timeline = timelineOf([{ A: 100n }])
    timeline.note(
      START + 1,
      new Map([
        ['A', 900n],
        ['B', 2n],
      ]),
    )
    expect(timeline.moveBips(snapshot(1, { A: 100n, B: 4n }), 'A', 'B', 60_000)).toBe(10_000n)
  })

  test('samples are ten seconds apart, and an hour is kept', () => {
    const timeline = createTimeline([snapshot(-500, { A: 50n, B: 1n }), snapshot(-1, { A: 100n, B: 1n })])
    timeline.note(
      START - SAMPLE_MS + 1,
      new Map([
        ['A', 900n],
        ['B', 1n],
      ]),
    )
    timeline.note(
      START,
      new Map([
        ['A', 100n],
        ['B', 1n],
      ]),
    )
    expect(timeline.moveBips(snapshot(1, { A: 100n, B: 1n }), 'A', 'B', 10 ** 9)).toBe(0n)
  })

  test('the root is rounded up', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), (square) => {
        const root = rootRoundedUp(square)
        expect(root * root >= square && (root === 0n || (root - 1n) * (root - 1n) < square)).toBe(true)
      }),
    )
  })
})

describe('price log', () => {
  const store = sharedStore()

  const START = 1_700_000_040_000
  const view = (price: bigint | null, problem: string | null): MarketView => ({
    market: 'BTC',
    assets: ['a:btc'],
    price,
    problem,
    readings: [{ source: 'one', price, ageSeconds: 0, problem }],
  })

  test('logs once when a price disappears and when it returns, and records one price a minute', async () => {
    const lines: string[] = []
    const say = (...words: unknown[]) => void lines.push(String(words[1]))
    let now = START
    const log = createPriceLog(store.db, { warn: say, info: say }, () => now)
    const statements = await statementsOf(async () => {
      log.note([view(5n, null)])
      expect(lines).toEqual([])
      log.note([view(null, 'its price is 61 s old')])
      log.note([view(null, 'its price is 62 s old')])
      await log.stop()
    })
    expect(statements.filter((text) => text.includes('insert into price_records'))).toHaveLength(1)
    expect(lines).toEqual(['a price source does not count', 'there is no price: no swap of this market starts'])
    now += 60_000
    log.note([view(6n, null)])
    expect(lines.slice(2)).toEqual(['the price source works again', 'there is a price again'])
    await log.stop()
    expect((await readPricesSince(store.db, 0)).map(({ price }) => price)).toEqual([5n, 6n])
  })

  test('a database that fails stops nothing', async () => {
    const lines: string[] = []
    const failing = store.db.withPlugin({
      transformQuery: () => {
        throw new Error('down')
      },
      transformResult: async ({ result }) => result,
    })
    const say = (...words: unknown[]) => void lines.push(String(words[1]))
    const log = createPriceLog(failing, { warn: say, info: say }, () => START)
    log.note([view(5n, null)])
    await log.stop()
    expect(lines).toEqual(['prices could not be recorded'])
  })
})
