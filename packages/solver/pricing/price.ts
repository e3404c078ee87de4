/** Computes the solver's price by one pure function on bigints, and its exact inverse. */
import { divideRoundingUp, type UsdPrice } from '@tandem/protocol/amount.ts'

export type PricedAsset = { readonly decimals: number; readonly price: UsdPrice }

export type Level = {
  /** The end of the level, in the destination's smallest unit; null if it has no end. */
  readonly upTo: bigint | null
  /** The surcharge for amounts in this level, in millionths, is never negative. */
  readonly ppm: bigint
}

/**
 * No part is negative. So no quote pays out more than it takes in at these prices, and no sequence of quotes ends with more than it began
 * with, whatever the inventory does in between.
 */
export type PriceTerms = {
  readonly source: PricedAsset
  readonly destination: PricedAsset
  /** The sum of the proportional fees, in millionths of the worth of the source, from 0 to 999,999. */
  readonly feePpm: bigint
  readonly fixedUsdMicros: bigint
  /** The levels are sorted by surcharge, cheapest first. The last has no end. */
  readonly levels: readonly Level[]
}

export const PPM = 1_000_000n
export const FLAT: readonly Level[] = [{ upTo: null, ppm: 0n }]

/**
 * Returns the largest amount that the user gets for `sourceAmount`; 0 if the fees exceed it. It is exact: it is at least `d` if and only if
 * `priceExactOut` of `d` is at most `sourceAmount`. It is rounded down, because the user chooses the amount.
 */
export function priceExactIn(terms: PriceTerms, sourceAmount: bigint): bigint {
  const { source, destination, feePpm } = terms
  const budget =
    (sourceAmount * source.price * 10n ** BigInt(destination.decimals) * (PPM - feePpm)) /
    (destination.price * 10n ** BigInt(source.decimals))
  return boughtWith(terms.levels, budget - fixedFee(terms) * PPM)
}

/** Returns the smallest amount that the user must pay to get `destinationAmount`, rounded up. */
export function priceExactOut(terms: PriceTerms, destinationAmount: bigint): bigint {
  const { source, destination, feePpm } = terms
  const needed = destinationAmount * PPM + surcharge(terms.levels, destinationAmount) + fixedFee(terms) * PPM
  return divideRoundingUp(
    needed * destination.price * 10n ** BigInt(source.decimals),
    source.price * 10n ** BigInt(destination.decimals) * (PPM - feePpm),
  )
}

/** The result is in millionths of the destination's smallest unit. */
export function surcharge(levels: readonly Level[], amount: bigint): bigint {
  let [sum, from] = [0n, 0n]
  for (const { upTo, ppm } of levels) {
    const end = upTo === null || upTo > amount ? amount : upTo
    if (end > from) sum += (end - from) * ppm
    from = end > from ? end : from
  }
  return sum
}

/**
 * Returns the largest amount that costs at most `budget` with its surcharges; `budget` is in millionths of the destination's smallest unit.
 */
function boughtWith(levels: readonly Level[], budget: bigint): bigint {
  let [bought, left] = [0n, budget]
  for (const { upTo, ppm } of levels) {
    if (left <= 0n) break
    const affordable = left / (PPM + ppm)
    const capacity = upTo === null ? affordable : upTo - bought
    if (capacity <= 0n) continue
    if (affordable < capacity) return bought + affordable
    bought += capacity
    left -= capacity * (PPM + ppm)
  }
  return bought
}

/** The result is in the destination's smallest unit, rounded up. Prices have 8 decimals, the fee has 6. */
function fixedFee({ destination, fixedUsdMicros }: PriceTerms): bigint {
  return divideRoundingUp(fixedUsdMicros * 10n ** BigInt(destination.decimals) * 100n, destination.price)
}
