/** Tests the limits for failed payouts and slippage. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FailedPayout, type PayoutParties, standingOf } from './payout-limits.ts'
import { minAfterSlippage } from './slippage.ts'

const LIMITS = { recipient: 4, owner: 6, app: 10 }
const parties: PayoutParties = { chain: 'a', recipient: 'r', owner: 'o', app: 'p' }
const none: PayoutParties = { chain: 'x', recipient: 'x', owner: 'x', app: 'x' }
const failed = (orderId: string, weight: number, over: Partial<PayoutParties> = {}): FailedPayout => ({
  ...none,
  ...over,
  orderId,
  weight,
  service: '',
})
const standing = (...all: readonly FailedPayout[]) => standingOf(all, parties, null, LIMITS)
const good = { refusal: null, isTrusted: true }

test('a recipient is refused once its failures reach the limit, on its own chain only', () => {
  const { chain, recipient } = parties
  expect(standing(failed('1', 3, { chain, recipient }))).toEqual(good)
  expect(standing(failed('1', 3, { recipient }), failed('2', 1, { recipient }))).toEqual(good)
  const spent = [failed('1', 3, { chain, recipient }), failed('2', 1, { chain, recipient })]
  expect(standing(...spent)).toEqual({ refusal: expect.stringContaining('too many payouts to r failed'), isTrusted: true })
  expect(standingOf(spent, parties, '2', LIMITS)).toEqual(good)
})

test.each(['owner', 'app'] as const)('an %s with too many failures is not trusted, and never refused', (who) => {
  const all = Array.from({ length: 20 }, (_, index) => failed(`${index}`, 1, { [who]: parties[who] }))
  expect(standing(...all.slice(0, LIMITS[who] - 1))).toEqual(good)
  expect(standing(...all.slice(0, LIMITS[who]))).toEqual({ refusal: null, isTrusted: false })
  const unnamed = all.map((one) => ({ ...one, [who]: '' }))
  expect(standingOf(unnamed, { ...parties, [who]: '' }, null, LIMITS)).toEqual(good)
})

test('the minimum amount after slippage is exact, rounded up', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 2n ** 256n - 1n), fc.integer({ min: 0, max: 500 }), (amount, bips) => {
      const least = minAfterSlippage(amount, bips)
      expect(least * 10_000n >= amount * (10_000n - BigInt(bips))).toBe(true)
      expect((least - 1n) * 10_000n < amount * (10_000n - BigInt(bips))).toBe(true)
    }),
  )
})
