import { parseUsdPrice } from '@tandem/protocol/amount.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FLAT, type Level, type PriceTerms, priceExactIn, priceExactOut, surcharge } from './price.ts'

const btcToUsdc: PriceTerms = {
  source: { decimals: 8, price: parseUsdPrice('100000') },
  destination: { decimals: 6, price: parseUsdPrice('1') },
  feePpm: 3_000n,
  fixedUsdMicros: 500_000n,
  levels: FLAT,
}

/** The first 100 at no surcharge, the next 100 at 10 %, the rest at 50 %. */
const levels: readonly Level[] = [
  { upTo: 100n, ppm: 0n },
  { upTo: 200n, ppm: 100_000n },
  { upTo: null, ppm: 500_000n },
]

describe('solver prices', () => {
  test('0.01 BTC at 100,000 dollars less 0.3 % and half a dollar', () => {
    expect(priceExactIn(btcToUsdc, 1_000_000n)).toBe(996_500_000n)
  })

  test('an amount below the fees buys nothing', () => {
    expect(priceExactIn(btcToUsdc, 1n)).toBe(0n)
  })

  test('each part of the amount pays the surcharge of its level', () => {
    const even = { decimals: 0, price: 1n }
    const terms = { source: even, destination: even, feePpm: 0n, fixedUsdMicros: 0n, levels }
    expect([100n, 101n, 200n, 210n].map((wanted) => priceExactOut(terms, wanted))).toEqual([100n, 102n, 210n, 225n])
    expect([100n, 101n, 102n, 210n, 224n, 225n].map((given) => priceExactIn(terms, given))).toEqual([100n, 100n, 101n, 200n, 209n, 210n])
    expect(surcharge(levels, 210n)).toBe(15_000_000n)
  })

  const asset = fc.record({ decimals: fc.integer({ min: 0, max: 18 }), price: fc.bigInt({ min: 1n, max: 10n ** 15n }) })
  const ladder = fc
    .array(fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.bigInt({ min: 0n, max: 200_000n })), { maxLength: 4 })
    .map((steps): readonly Level[] => {
      const ends = steps.map(([upTo]) => upTo).sort((a, b) => (a < b ? -1 : 1))
      return [...ends.map((upTo, i) => ({ upTo, ppm: steps[i]?.[1] ?? 0n })), { upTo: null, ppm: 250_000n }]
    })
  const terms = fc.record({
    source: asset,
    destination: asset,
    feePpm: fc.bigInt({ min: 0n, max: 500_000n }),
    fixedUsdMicros: fc.bigInt({ min: 0n, max: 10n ** 9n }),
    levels: ladder,
  })
  const amount = fc.bigInt({ min: 1n, max: 10n ** 30n })

  test('exact in and exact out agree to the last unit', () => {
    fc.assert(
      fc.property(terms, amount, (priceTerms, wanted) => {
        const source = priceExactOut(priceTerms, wanted)
        expect(priceExactIn(priceTerms, source)).toBeGreaterThanOrEqual(wanted)
        expect(priceExactIn(priceTerms, source - 1n)).toBeLessThan(wanted)
      }),
      { numRuns: 1_000 },
    )
    fc.assert(
      fc.property(terms, amount, (priceTerms, given) => {
        const bought = priceExactIn(priceTerms, given)
        if (bought > 0n) expect(priceExactOut(priceTerms, bought)).toBeLessThanOrEqual(given)
        expect(priceExactOut(priceTerms, bought + 1n)).toBeGreaterThan(given)
      }),
      { numRuns: 1_000 },
    )
  })

  test('a higher fee never pays out more', () => {
    fc.assert(
      fc.property(terms, amount, (priceTerms, given) => {
        const before = priceExactIn(priceTerms, given)
        const { feePpm, fixedUsdMicros } = priceTerms
        expect(priceExactIn({ ...priceTerms, feePpm: feePpm + 1n }, given)).toBeLessThanOrEqual(before)
        expect(priceExactIn({ ...priceTerms, fixedUsdMicros: fixedUsdMicros + 1n }, given)).toBeLessThanOrEqual(before)
        const dearer = priceTerms.levels.map((level) => ({ ...level, ppm: level.ppm + 1n }))
        expect(priceExactIn({ ...priceTerms, levels: dearer }, given)).toBeLessThanOrEqual(before)
      }),
    )
  })
})
