/** Computes fees, in whole satoshis (or litoshis) and per 1000 virtual bytes, the unit Bitcoin Core counts in. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { divideRoundingUp } from '@tandem/protocol/amount.ts'
import { max, min } from '@tandem/protocol/bigint.ts'
import type { BitcoinNetwork } from '../networks.ts'

/** The unit is satoshis per 1000 vB. */
export type FeeRate = bigint

export type FeeBounds = Pick<BitcoinNetwork, 'minFeeRate' | 'dustFeeRate' | 'maxFeeRate'>

/** A fee is at most this fraction (1/n) of the amount. */
const MAX_FEE_SHARE = 2n
/** Under time pressure we pay more than the estimate. */
const URGENT_PERCENT = 150n
const BUMP_PERCENT = 125n

/** Fee bumps of transactions that may fail, or that help somebody else, stay below this multiple of the market rate. */
export const MAX_RATE_FACTOR = 3n

/** The targets are in blocks. */
export const NORMAL_TARGET = 3
export const URGENT_TARGET = 1

export function boundFeeRate(rate: FeeRate, { minFeeRate, maxFeeRate }: FeeBounds): FeeRate {
  return rate < minFeeRate ? minFeeRate : rate > maxFeeRate ? maxFeeRate : rate
}

export function feeOf(vsize: bigint, rate: FeeRate): bigint {
  return divideRoundingUp(vsize * rate, 1000n)
}

export function rateOf(fee: bigint, vsize: bigint): FeeRate {
  return (fee * 1000n) / vsize
}

export function feeCap(amount: bigint, vsize: bigint, { maxFeeRate }: FeeBounds): bigint {
  return min(amount / MAX_FEE_SHARE, feeOf(vsize, maxFeeRate))
}

/** A redeem of a hundred deposits has about 10,000 vB, and a payment from two hundred coins 14,000. */
const MAX_PAID_BY_CHILD_VSIZE = 20_000n

/** A child (CPFP) pays for itself and for what is unmined before it, of which its signer sees nothing. */
export function childFeeCap({ maxFeeRate }: FeeBounds): bigint {
  return feeOf(MAX_PAID_BY_CHILD_VSIZE, maxFeeRate)
}

/**
 * The urgency follows from the time left, in units of the chain's `feeBumpSeconds`:
 *
 *   left              estimate for    times     fee bump after (and never before a new block)
 *   no end, 6 or more 3 blocks        1         1
 *   2 to 6            next block      1.5       1/4
 *   less than 2       next block      1.5       1/8
 */
export type Urgency = { readonly isUrgent: boolean; readonly bumpAfterSeconds: bigint }

export function urgencyOf(secondsLeft: bigint | null, feeBumpSeconds: bigint): Urgency {
  if (secondsLeft === null || secondsLeft >= feeBumpSeconds * 6n) return { isUrgent: false, bumpAfterSeconds: feeBumpSeconds }
  return { isUrgent: true, bumpAfterSeconds: divideRoundingUp(feeBumpSeconds, secondsLeft >= feeBumpSeconds * 2n ? 4n : 8n) }
}

export function wantedRate(estimate: FeeRate, isUrgent: boolean, bounds: FeeBounds): FeeRate {
  return boundFeeRate(isUrgent ? (estimate * URGENT_PERCENT) / 100n : estimate, bounds)
}

/** A fee bump raises the rate by at least this step: smaller steps would only need more bumps. */
export function raisedRate(rate: FeeRate): FeeRate {
  return (rate * BUMP_PERCENT) / 100n + 1n
}

/** `fee` is the total of the transactions to be replaced, and `rate` the highest among them. */
export type ReplacedFee = { readonly fee: bigint; readonly rate: FeeRate }

/** BIP125 rules 3 and 4 ask for more in total, the replacement's own relay fee on top, and a higher rate. */
export function outbiddingFee(vsize: bigint, replaced: ReplacedFee, { minFeeRate }: FeeBounds): bigint {
  return max(replaced.fee + feeOf(vsize, minFeeRate), feeOf(vsize, raisedRate(replaced.rate)))
}

/** The transaction replaces others if `replaced` is not null, and pays what its unconfirmed parents lack. */
export function replacementFee(vsize: bigint, rate: FeeRate, replaced: ReplacedFee | null, bounds: FeeBounds, parentDebt = 0n): bigint {
  const wanted = feeOf(vsize, rate) + parentDebt
  return replaced === null ? wanted : max(wanted, outbiddingFee(vsize, replaced, bounds))
}

/** Nodes relay an output only if it is worth spending at the dust rate. */
export function dustLimit(script: Uint8Array, { dustFeeRate }: FeeBounds): bigint {
  const isWitness =
    script.length >= 4 && script.length <= 42 && (script[0] === 0x00 || ((script[0] ?? 0) >= 0x51 && (script[0] ?? 0) <= 0x60))
  const outputBytes = BigInt(8 + 1 + script.length)
  return feeOf(outputBytes + (isWitness ? 67n : 148n), dustFeeRate)
}

export function uneconomic(what: string, amount: bigint, fee: bigint): ChainFailure {
  return new ChainFailure('uneconomic', `uneconomic: ${what} of ${amount} would cost a fee of ${fee}`)
}

/** A slow spend is better than none. It throws if the fee that the amount allows is too low to relay or to replace. */
export function affordableFee(
  vsize: bigint,
  rate: FeeRate,
  replaced: ReplacedFee | null,
  total: bigint,
  outputScript: Uint8Array,
  bounds: FeeBounds,
): bigint {
  const wanted = replacementFee(vsize, rate, replaced, bounds)
  const maxFee = min(feeCap(total, vsize, bounds), total - dustLimit(outputScript, bounds))
  const useful = replaced === null ? feeOf(vsize, bounds.minFeeRate) : outbiddingFee(vsize, replaced, bounds)
  if (maxFee < useful) throw uneconomic('a spend', total, wanted)
  return min(wanted, maxFee)
}
