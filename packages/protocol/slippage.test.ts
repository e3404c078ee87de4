import fc from 'fast-check'
import { expect, test } from 'vitest'
import { leastAfterSlippage } from './slippage.ts'

test('the least amount after slippage is exact, rounded up', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 2n ** 256n - 1n), fc.integer({ min: 0, max: 500 }), (amount, bips) => {
      const least = leastAfterSlippage(amount, bips)
      expect(least * 10_000n >= amount * (10_000n - BigInt(bips))).toBe(true)
      expect((least - 1n) * 10_000n < amount * (10_000n - BigInt(bips))).toBe(true)
    }),
  )
})
