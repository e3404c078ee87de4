import fc from 'fast-check'
import { expect, test } from 'vitest'
import { localAssets } from '../../protocol/registry/local.ts'
import { affiliateFees, leastAfterSlippage } from './fee.ts'

const [asset] = localAssets
if (asset === undefined) throw new Error('no asset')

test('affiliates are owed their part of the source amount, rounded down', () => {
  expect(affiliateFees([{ address: 'a', feeBips: 1 }], asset, 19_999n)).toEqual([
    { address: 'a', asset: asset.id, feeBips: 1, amount: '1' },
  ])
})

test('the least amount after slippage is exact, rounded up', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 2n ** 256n - 1n), fc.integer({ min: 0, max: 500 }), (amount, bips) => {
      const least = leastAfterSlippage(amount, bips)
      expect(least * 10_000n >= amount * (10_000n - BigInt(bips))).toBe(true)
      expect((least - 1n) * 10_000n < amount * (10_000n - BigInt(bips))).toBe(true)
    }),
  )
})
