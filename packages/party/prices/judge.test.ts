/** Tests how one price is made of several readings. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judgeReadings, median, type PriceRules, type Reading } from './judge.ts'

const NOW = 1_700_000_000_000
const rules: PriceRules = { minSources: 2, maxDeviationBips: 100 }
const reading = (price: bigint, ageSeconds = 0, source = 's'): Reading => ({ source, price, at: NOW - ageSeconds * 1000, maxAgeMs: 60_000 })
const judge = (...readings: readonly Reading[]) => judgeReadings(readings, rules, NOW)

describe('one price from several readings', () => {
  test('is the median; of two the mean, rounded down', () => {
    expect(judge(reading(1000n), reading(1001n), reading(1002n))).toEqual({
      price: 1001n,
      range: { low: 1001n, high: 1001n },
      problem: null,
    })
    expect(judge(reading(1000n), reading(1003n)).price).toBe(1001n)
  })

  test('ignores old readings and readings from the future, and needs enough of the others', () => {
    expect(judge(reading(1000n), reading(1000n, 60), reading(5n, 61), reading(5n, -31)).price).toBe(1000n)
    expect(judge(reading(1000n), reading(1000n, 61))).toEqual({
      price: null,
      range: null,
      problem: '1 of 2 sources have a fresh price, and 2 are needed',
    })
    expect(judge(reading(1000n), reading(1000n, -30)).price).toBe(1000n)
    expect(judge(reading(1000n), reading(1000n, -31)).price).toBeNull()
    expect(judgeReadings([], { ...rules, minSources: 0 }, NOW).price).toBeNull()
  })

  test('one source that is far off does not stop the others; without a majority that agrees there is no price', () => {
    expect(judge(reading(1000n), reading(1001n), reading(9_000_000n)).price).toBe(1001n)
    expect(judge(reading(100_000_000n, 0, 'one'), reading(103_000_000n, 0, 'two'))).toEqual({
      price: null,
      range: null,
      problem: 'the sources are more than 100 bips apart: one 1, two 1.03',
    })
    // Enough readings agree, but not more than half.
    expect(judge(reading(500n), reading(1000n), reading(1001n), reading(2000n), reading(3000n)).price).toBeNull()
    // More than half agree, but not enough.
    expect(judgeReadings([reading(1000n), reading(1000n), reading(2000n)], { ...rules, minSources: 3 }, NOW).price).toBeNull()
    // Two stand against two.
    expect(judge(reading(1000n), reading(1000n), reading(2000n), reading(2000n)).price).toBeNull()
  })

  test('with fewer than three readings the lowest and the highest count, so that one source alone can only make a swap worse for its user', () => {
    expect(judge(reading(1000n), reading(1003n))).toMatchObject({ price: 1001n, range: { low: 1000n, high: 1003n } })
    // One of three is silent.
    expect(judge(reading(1000n), reading(1003n), reading(1000n, 61))).toMatchObject({ range: { low: 1000n, high: 1003n } })
    expect(judgeReadings([reading(1000n)], { ...rules, minSources: 1 }, NOW).range).toEqual({ low: 1000n, high: 1000n })
    expect(judge(reading(1000n), reading(1003n), reading(1002n)).range).toEqual({ low: 1002n, high: 1002n })
  })

  test('the bound itself still agrees', () => {
    expect(judge(reading(10_000n), reading(10_100n), reading(9_900n)).price).toBe(10_000n)
    expect(judgeReadings([reading(10_000n), reading(10_101n), reading(9_899n)], { ...rules, minSources: 3 }, NOW).price).toBeNull()
  })

  const honest = fc.array(fc.bigInt({ min: 1_000_000n, max: 1_004_000n }), { minLength: 2, maxLength: 8 })
  const anything = fc.bigInt({ min: 1n, max: 10n ** 24n })

  test('while fewer than half of the sources lie, the price is within what the honest say', () => {
    fc.assert(
      fc.property(honest, fc.array(anything, { maxLength: 7 }), fc.integer({ min: 0, max: 60 }), (truths, lies, age) => {
        const told = [...truths, ...lies.slice(0, truths.length - 1)].map((price) => reading(price, age))
        const { price } = judge(...told)
        const [low, high] = [truths.reduce((a, b) => (a < b ? a : b)), truths.reduce((a, b) => (a > b ? a : b))]
        expect(price !== null && price >= low && price <= high).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  test('the order of the readings does not matter, and stale ones never change the price', () => {
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 9 }), fc.array(anything, { maxLength: 5 }), (fresh, stale) => {
        const readings = fresh.map((price) => reading(price))
        const old = stale.map((price) => reading(price, 61))
        expect(judge(...old, ...readings.toReversed()).price).toBe(judge(...readings).price)
      }),
    )
  })

  test('a median is one of the prices, or between the two in the middle', () => {
    fc.assert(
      fc.property(fc.array(anything, { minLength: 1, maxLength: 20 }), (prices) => {
        const found = median(prices)
        const count = (is: (price: bigint) => boolean) => prices.filter(is).length
        expect(count((price) => price < found) * 2).toBeLessThanOrEqual(prices.length)
        // Rounding down may put it just below a middle price.
        expect(count((price) => price > found + 1n) * 2).toBeLessThanOrEqual(prices.length)
      }),
    )
  })
})
