import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseUsdPrice } from '../protocol/amount.ts'
import { type PriceTerms, priceExactIn, priceExactOut } from './pricing.ts'

const btcToUsdc: PriceTerms = {
  source: { decimals: 8, price: parseUsdPrice('100000') },
  destination: { decimals: 6, price: parseUsdPrice('1') },
  feeBips: 30,
  fixedFeeUsdMicros: 500_000n,
}

describe('solver prices', () => {
  test('0.01 BTC at 100,000 dollars less 0.3 % and half a dollar', () => {
    expect(priceExactIn(btcToUsdc, 1_000_000n)).toBe(996_500_000n)
  })

  test('an amount below the fees buys nothing', () => {
    expect(priceExactIn(btcToUsdc, 1n)).toBe(0n)
  })

  const asset = fc.record({ decimals: fc.integer({ min: 0, max: 18 }), price: fc.bigInt({ min: 1n, max: 10n ** 15n }) })
  const terms = fc.record({
    source: asset,
    destination: asset,
    feeBips: fc.integer({ min: 0, max: 5000 }),
    fixedFeeUsdMicros: fc.bigInt({ min: 0n, max: 10n ** 9n }),
  })

  test('the exact-out price buys the wanted amount, and one unit less does not', () => {
    fc.assert(
      fc.property(terms, fc.bigInt({ min: 1n, max: 10n ** 30n }), (priceTerms, wanted) => {
        const source = priceExactOut(priceTerms, wanted)
        expect(priceExactIn(priceTerms, source)).toBeGreaterThanOrEqual(wanted)
        expect(priceExactIn(priceTerms, source - 1n)).toBeLessThan(wanted)
      }),
    )
  })

  test('a higher fee never pays out more', () => {
    fc.assert(
      fc.property(terms, fc.bigInt({ min: 1n, max: 10n ** 30n }), (priceTerms, amount) => {
        const withHigherFee = { ...priceTerms, feeBips: priceTerms.feeBips + 1, fixedFeeUsdMicros: priceTerms.fixedFeeUsdMicros + 1n }
        expect(priceExactIn(withHigherFee, amount)).toBeLessThanOrEqual(priceExactIn(priceTerms, amount))
      }),
    )
  })
})
