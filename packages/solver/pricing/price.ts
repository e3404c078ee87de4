/** The solver's price: one pure function on bigints, and its exact inverse. */
import { divideRoundingUp, type UsdPrice } from '@tandem/protocol/amount.ts'

export type PricedAsset = { readonly decimals: number; readonly price: UsdPrice }

/** A part of the destination inventory with its surcharge. */
export type Level = {
  /** In the destination's smallest unit, counted from the first; null: without end. */
  readonly upTo: bigint | null
  /** Surcharge for amounts in this level, in millionths. Never negative. */
  readonly ppm: bigint
}

/**
 * No part is negative: so no quote pays out more than it takes in at these prices, and no path of quotes ends with more than it began with,
 * whatever the inventory did in between.
 */
export type PriceTerms = {
  readonly source: PricedAsset
  readonly destination: PricedAsset
  /** All proportional fees together, in millionths of the worth of the source. From 0 to 999,999. */
  readonly feePpm: bigint
  /** All fixed fees together. */
  readonly fixedUsdMicros: bigint
  /** Cheapest first. The last is without end. */
  readonly levels: readonly Level[]
}

export const PPM = 1_000_000n
export const FLAT: readonly Level[] = [{ upTo: null, ppm: 0n }]

/**
 * The most that the user gets for `sourceAmount`; 0 if the fees exceed it. Exact: it is at least `d` if and only if `priceExactOut` of `d`
 * is at most `sourceAmount`. Rounded down: the user chooses the amount.
 */
export function priceExactIn(terms: PriceTerms, sourceAmount: bigint): bigint {
  const { source, destination, feePpm } = terms
  const budget =
    (sourceAmount * source.price * 10n ** BigInt(destination.decimals) * (PPM - feePpm)) /
    (destination.price * 10n ** BigInt(source.decimals))
  return boughtWith(terms.levels, budget - fixedFee(terms) * PPM)
}

/** The least that the user must pay to get `destinationAmount`. Rounded up. */
export function priceExactOut(terms: PriceTerms, destinationAmount: bigint): bigint {
  const { source, destination, feePpm } = terms
  const needed = destinationAmount * PPM + surcharge(terms.levels, destinationAmount) + fixedFee(terms) * PPM
  return divideRoundingUp(
    needed * destination.price * 10n ** BigInt(source.decimals),
    source.price * 10n ** BigInt(destination.decimals) * (PPM - feePpm),
  )
}

/** In millionths of the destination's smallest unit. */
export function surcharge(levels: readonly Level[], amount: bigint): bigint {
  let [sum, from] = [0n, 0n]
  for (const { upTo, ppm } of levels) {
    const end = upTo === null || upTo > amount ? amount : upTo
    if (end > from) sum += (end - from) * ppm
    from = end > from ? end : from
  }
  return sum
}

/** The greatest amount that costs at most `budget`, both with surcharges; `budget` in millionths of the destination's smallest unit. */
function boughtWith(levels: readonly Level[], budget: bigint): bigint {
  let [bought, left] = [0n, budget]
  for (const { upTo, ppm } of levels) {
    if (left <= 0n) break
    const affordable = left / (PPM + ppm)
    const room = upTo === null ? affordable : upTo - bought
    if (room <= 0n) continue
    if (affordable < room) return bought + affordable
    bought += room
    left -= room * (PPM + ppm)
  }
  return bought
}

/** In the destination's smallest unit, rounded up. Prices have 8 decimals, the fee has 6. */
function fixedFee({ destination, fixedUsdMicros }: PriceTerms): bigint {
  return divideRoundingUp(fixedUsdMicros * 10n ** BigInt(destination.decimals) * 100n, destination.price)
}
