import { hexToBytes } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import { boundFeeRate, dustLimit, feeOf, largestFee, replacementFee, urgencyOf, wantedRate } from './fees.ts'

describe('fee rates', () => {
  it('keeps estimates within sane bounds', () => {
    expect(boundFeeRate(0n)).toBe(1_000n)
    expect(boundFeeRate(12_345n)).toBe(12_345n)
    expect(boundFeeRate(10n ** 12n)).toBe(1_000_000n)
    expect(wantedRate(900_000n, true)).toBe(1_000_000n)
    expect(wantedRate(10_000n, true)).toBe(15_000n)
    expect(wantedRate(10_000n, false)).toBe(10_000n)
  })

  it('rounds fees up: a part of a satoshi too little is refused', () => {
    expect(feeOf(143n, 1_000n)).toBe(143n)
    expect(feeOf(143n, 1_001n)).toBe(144n)
  })

  it('never gives more than half of the amount, nor more than the highest rate', () => {
    expect(largestFee(10_000n, 143n)).toBe(5_000n)
    expect(largestFee(10n ** 10n, 143n)).toBe(143_000n)
  })
})

describe('replacing', () => {
  it('pays the wanted rate when that is more', () => {
    expect(replacementFee(143n, 10_000n, { fee: 143n, rate: 1_000n })).toBe(1_430n)
  })

  it('pays for its own relay on top of all that it replaces (BIP125 rule 4)', () => {
    expect(replacementFee(143n, 1_000n, { fee: 143n, rate: 1_000n })).toBe(143n + 143n)
    expect(replacementFee(100n, 1_000n, { fee: 5_000n, rate: 2_000n })).toBe(5_100n)
  })

  it('raises a high rate by a noticeable step', () => {
    expect(replacementFee(143n, 1_000n, { fee: 14_300n, rate: 100_000n })).toBe(feeOf(143n, 125_001n))
  })

  it('hurries when the time runs out', () => {
    expect(urgencyOf(null, 100n)).toEqual({ isUrgent: false, bumpAfterSeconds: 100n })
    expect(urgencyOf(600n, 100n)).toEqual({ isUrgent: false, bumpAfterSeconds: 100n })
    expect(urgencyOf(599n, 100n)).toEqual({ isUrgent: true, bumpAfterSeconds: 25n })
  })
})

it.each([
  ['P2PKH', `76a914${'00'.repeat(20)}88ac`, 546n],
  ['P2SH', `a914${'00'.repeat(20)}87`, 540n],
  ['P2WPKH', `0014${'00'.repeat(20)}`, 294n],
  ['P2WSH', `0020${'00'.repeat(32)}`, 330n],
  ['P2TR', `5120${'00'.repeat(32)}`, 330n],
])('knows the dust limit of %s as Bitcoin Core has it', (_, script, limit) => {
  expect(dustLimit(hexToBytes(script))).toBe(limit)
})
