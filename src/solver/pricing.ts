/** What the solver asks for a swap: table prices, a spread, a fixed fee. Pure, whole numbers only. */
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

/** What the user gets for `sourceAmount`. Rounded down, the fixed fee up: the user chose the amount, the solver is bound by the answer. 0 when fees eat it all. */
export function priceExactIn(terms: PriceTerms, sourceAmount: bigint): bigint {
  const { source, destination } = terms
  const gross =
    (sourceAmount * source.price * 10n ** BigInt(destination.decimals) * (BIPS - BigInt(terms.feeBips))) /
    (destination.price * 10n ** BigInt(source.decimals) * BIPS)
  const net = gross - fixedFee(terms)
  return net > 0n ? net : 0n
}

/** The least the user must pay to get `destinationAmount`. Rounded up, so that `priceExactIn` of it is never less than asked for. */
export function priceExactOut(terms: PriceTerms, destinationAmount: bigint): bigint {
  const { source, destination } = terms
  return divideRoundingUp(
    (destinationAmount + fixedFee(terms)) * destination.price * 10n ** BigInt(source.decimals) * BIPS,
    source.price * 10n ** BigInt(destination.decimals) * (BIPS - BigInt(terms.feeBips)),
  )
}

/** In the destination's smallest unit; prices carry 8 decimals, the fee 6. */
function fixedFee({ destination, fixedFeeUsdMicros }: PriceTerms): bigint {
  return divideRoundingUp(fixedFeeUsdMicros * 10n ** BigInt(destination.decimals) * 100n, destination.price)
}
