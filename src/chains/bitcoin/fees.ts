/** Fee arithmetic, all in whole satoshis and in satoshis per 1000 virtual bytes, the unit Bitcoin Core counts in. */
import { divideRoundingUp } from '../../protocol/amount.ts'
import { ChainFailure } from '../family.ts'

/** Satoshis per 1000 vB. */
export type FeeRate = bigint

/** Below this no default node relays. */
const MIN_FEE_RATE: FeeRate = 1_000n
/** An estimate above this is a broken or lying node, not a market. */
const MAX_FEE_RATE: FeeRate = 1_000_000n
/** BIP125 rule 4: a replacement pays for its own relay on top of what it replaces. */
const INCREMENTAL_FEE_RATE: FeeRate = 1_000n
/** At most one part in so many of the amount is given to miners. */
const MAX_FEE_SHARE = 2n
/** Under time pressure the last estimate is not trusted to be enough. */
const URGENT_PERCENT = 150n
const BUMP_PERCENT = 125n

/** Blocks within which a transaction should be mined. */
export const NORMAL_TARGET = 3
export const URGENT_TARGET = 1

export function boundFeeRate(rate: FeeRate): FeeRate {
  return rate < MIN_FEE_RATE ? MIN_FEE_RATE : rate > MAX_FEE_RATE ? MAX_FEE_RATE : rate
}

export function feeOf(vsize: bigint, rate: FeeRate): bigint {
  return divideRoundingUp(vsize * rate, 1000n)
}

export function rateOf(fee: bigint, vsize: bigint): FeeRate {
  return (fee * 1000n) / vsize
}

/** What is never exceeded, whatever the hurry. */
export function largestFee(amount: bigint, vsize: bigint): bigint {
  const share = amount / MAX_FEE_SHARE
  const most = feeOf(vsize, MAX_FEE_RATE)
  return share < most ? share : most
}

export type Urgency = { readonly isUrgent: boolean; readonly bumpAfterSeconds: bigint }

/** The nearer the end, the sooner the next raise. */
export function urgencyOf(secondsLeft: bigint | null, feeBumpSeconds: bigint): Urgency {
  const isUrgent = secondsLeft !== null && secondsLeft < feeBumpSeconds * 6n
  return { isUrgent, bumpAfterSeconds: isUrgent ? divideRoundingUp(feeBumpSeconds, 4n) : feeBumpSeconds }
}

export function wantedRate(estimate: FeeRate, isUrgent: boolean): FeeRate {
  return boundFeeRate(isUrgent ? (estimate * URGENT_PERCENT) / 100n : estimate)
}

/** What the transactions to be replaced pay, in total and, of the best, per byte. */
export type Replaced = { readonly fee: bigint; readonly rate: FeeRate }

/**
 * The fee of a transaction of `vsize` that replaces others (null: none):
 * BIP125 rules 3 and 4 ask for more in total and per byte, and small steps would only be replaced again.
 */
export function replacementFee(vsize: bigint, rate: FeeRate, replaced: Replaced | null): bigint {
  const wanted = feeOf(vsize, rate)
  if (replaced === null) return wanted
  const least = replaced.fee + feeOf(vsize, INCREMENTAL_FEE_RATE)
  const step = feeOf(vsize, (replaced.rate * BUMP_PERCENT) / 100n + 1n)
  return [wanted, least, step].reduce((highest, fee) => (fee > highest ? fee : highest))
}

/** What Bitcoin Core relays at the default dust fee of 3 sat/vB: an output must be worth spending. */
export function dustLimit(script: Uint8Array): bigint {
  const isWitness =
    script.length >= 4 && script.length <= 42 && (script[0] === 0x00 || ((script[0] ?? 0) >= 0x51 && (script[0] ?? 0) <= 0x60))
  const outputBytes = BigInt(8 + 1 + script.length)
  return (outputBytes + (isWitness ? 67n : 148n)) * 3n
}

export function uneconomic(what: string, amount: bigint, fee: bigint): ChainFailure {
  return new ChainFailure('would-fail', `uneconomic: ${what} of ${amount} sat would cost a fee of ${fee} sat`)
}

/** The wanted fee, or what the amount can bear: a slow spend is better than none. To outbid, half measures are useless. */
export function affordableFee(vsize: bigint, rate: FeeRate, replaced: Replaced | null, total: bigint, outputScript: Uint8Array): bigint {
  const wanted = replacementFee(vsize, rate, replaced)
  const most = [largestFee(total, vsize), total - dustLimit(outputScript)].reduce((a, b) => (a < b ? a : b))
  if (wanted <= most) return wanted
  if (replaced !== null || most < feeOf(vsize, MIN_FEE_RATE)) throw uneconomic('a spend', total, wanted)
  return most
}
