/** The solver's prices: table prices, a spread and a fixed fee. Pure functions on bigints. */
import { divideRoundingUp, type UsdPrice } from '../protocol/amount.ts'

export type PricedAsset = { readonly decimals: number; readonly price: UsdPrice }

export type PriceTerms = {
  readonly source: PricedAsset
  readonly destination: PricedAsset
  /** All proportional fees together. */
  readonly feeBips: number
  readonly fixedFeeUsdMicros: bigint
}

const BIPS = 10_000n

/** The amount that the user gets for `sourceAmount`: rounded down, with the fixed fee rounded up. 0 if the fees exceed it. */
export function priceExactIn(terms: PriceTerms, sourceAmount: bigint): bigint {
  const { source, destination } = terms
  const gross =
    (sourceAmount * source.price * 10n ** BigInt(destination.decimals) * (BIPS - BigInt(terms.feeBips))) /
    (destination.price * 10n ** BigInt(source.decimals) * BIPS)
  const net = gross - fixedFee(terms)
  return net > 0n ? net : 0n
}

/** The least that the user must pay to get `destinationAmount`. Rounded up, so that `priceExactIn` of it is never less than `destinationAmount`. */
export function priceExactOut(terms: PriceTerms, destinationAmount: bigint): bigint {
  const { source, destination } = terms
  return divideRoundingUp(
    (destinationAmount + fixedFee(terms)) * destination.price * 10n ** BigInt(source.decimals) * BIPS,
    source.price * 10n ** BigInt(destination.decimals) * (BIPS - BigInt(terms.feeBips)),
  )
}

/** In the destination's smallest unit. Prices have 8 decimals, the fee has 6. */
function fixedFee({ destination, fixedFeeUsdMicros }: PriceTerms): bigint {
  return divideRoundingUp(fixedFeeUsdMicros * 10n ** BigInt(destination.decimals) * 100n, destination.price)
}
