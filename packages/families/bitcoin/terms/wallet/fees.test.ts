/** Tests the arithmetic of fees: bounds, rounding, and the fee of a replacement. */
import { hexToBytes } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import { networkOf } from '../networks.ts'
import { affordableFee, boundFeeRate, dustLimit, feeCap, feeOf, replacementFee, urgencyOf, wantedRate } from './fees.ts'

const network = networkOf('bitcoin:mainnet')

describe('fee rates', () => {
  it('keeps estimates within sane bounds', () => {
    expect(boundFeeRate(0n, network)).toBe(1_000n)
    expect(boundFeeRate(12_345n, network)).toBe(12_345n)
    expect(boundFeeRate(10n ** 12n, network)).toBe(1_000_000n)
    expect(wantedRate(900_000n, true, network)).toBe(1_000_000n)
    expect(wantedRate(10_000n, true, network)).toBe(15_000n)
    expect(wantedRate(10_000n, false, network)).toBe(10_000n)
  })

  it('rounds fees up: nodes refuse a fraction of a satoshi too little', () => {
    expect(feeOf(143n, 1_000n)).toBe(143n)
    expect(feeOf(143n, 1_001n)).toBe(144n)
  })

  it('never gives more than half of the amount, nor more than the highest rate', () => {
    expect(feeCap(10_000n, 143n, network)).toBe(5_000n)
    expect(feeCap(10n ** 10n, 143n, network)).toBe(143_000n)
  })
})

describe('replacing', () => {
  it('pays the wanted rate when that is more', () => {
    expect(replacementFee(143n, 10_000n, { fee: 143n, rate: 1_000n }, network)).toBe(1_430n)
  })

  it('pays for its own relay on top of the replaced fees (BIP125 rule 4)', () => {
    expect(replacementFee(143n, 1_000n, { fee: 143n, rate: 1_000n }, network)).toBe(143n + 143n)
    expect(replacementFee(100n, 1_000n, { fee: 5_000n, rate: 2_000n }, network)).toBe(5_100n)
  })

  it('bumps a high rate by a noticeable step', () => {
    expect(replacementFee(143n, 1_000n, { fee: 14_300n, rate: 100_000n }, network)).toBe(feeOf(143n, 125_001n))
  })

  it('pays the missing fee of unconfirmed parents, unless outbidding covers it already', () => {
    expect(replacementFee(143n, 1_000n, null, network, 500n)).toBe(643n)
    expect(replacementFee(143n, 1_000n, { fee: 5_000n, rate: 1_000n }, network, 500n)).toBe(5_143n)
  })
})

describe('the affordable fee', () => {
  const script = hexToBytes(`0014${'00'.repeat(20)}`)
  const replaced = { fee: 1_000n, rate: 7_000n }
  // The redeem has 143 vB. Outbidding asks for 1,252 at least.
  it.each([
    ['all that is wanted', 10_000n, 100_000n, null, 1_430n],
    ['half of the amount when more is wanted', 100_000n, 10_000n, null, 5_000n],
    ['all that is wanted to outbid', 20_000n, 100_000n, replaced, 2_860n],
    ['half of the amount, if that outbids', 100_000n, 4_000n, replaced, 2_000n],
    ['nothing, if half of the amount does not outbid', 100_000n, 2_502n, replaced, null],
    ['nothing, if half of the amount is not relayed', 1_000n, 285n, null, null],
    ['nothing, if dust would be left', 1_000n, 430n, null, null],
  ] as const)('is %s', (_, rate, total, replaced, fee) => {
    const paid = () => affordableFee(143n, rate, replaced, total, script, network)
    if (fee === null) expect(paid).toThrow(expect.objectContaining({ kind: 'uneconomic' }))
    else expect(paid()).toBe(fee)
  })
})

describe('urgency', () => {
  it.each([
    [null, false, 900n],
    [1_000_000n, false, 900n],
    [5_400n, false, 900n],
    [5_399n, true, 225n],
    [1_800n, true, 225n],
    [1_799n, true, 113n],
    [0n, true, 113n],
    [-100n, true, 113n],
  ] as const)('with %s seconds left: urgent %s, fee bump after %s seconds', (secondsLeft, isUrgent, bumpAfterSeconds) => {
    expect(urgencyOf(secondsLeft, 900n)).toEqual({ isUrgent, bumpAfterSeconds })
  })
})

it.each([
  ['P2PKH', `76a914${'00'.repeat(20)}88ac`, 546n, 5_460n],
  ['P2SH', `a914${'00'.repeat(20)}87`, 540n, 5_400n],
  ['P2WPKH', `0014${'00'.repeat(20)}`, 294n, 2_940n],
  ['P2WSH', `0020${'00'.repeat(32)}`, 330n, 3_300n],
  ['P2TR', `5120${'00'.repeat(32)}`, 330n, 3_300n],
])('knows the dust limit of %s as Bitcoin Core and Litecoin Core have it', (_, script, bitcoin, litecoin) => {
  expect(dustLimit(hexToBytes(script), network)).toBe(bitcoin)
  expect(dustLimit(hexToBytes(script), networkOf('litecoin:mainnet'))).toBe(litecoin)
})
