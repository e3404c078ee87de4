/** Shows the operator the parts of a quote, and the range of amounts that could be quoted. */
import { divideRoundingUp, usdMicros } from '@tandem/protocol/amount.ts'
import type { Asset } from '@tandem/protocol/asset.ts'
import { max, min } from '@tandem/protocol/bigint.ts'
import type { SolverQuotePart } from '@tandem/protocol/wire/solver.ts'
import { PPM, type PriceTerms, priceExactOut, surcharge } from './price.ts'
import type { Priced } from './terms.ts'

export type QuotedAmounts = { readonly sourceAmount: bigint; readonly destinationAmount: bigint }

/** Returns what the inventory levels add to the price of this amount, in millionths of the source's worth, rounded up. */
function surchargePpm({ terms }: Priced, { sourceAmount, destinationAmount }: QuotedAmounts): bigint {
  const { source, destination, levels } = terms
  const added = surcharge(levels, destinationAmount)
  if (added === 0n) return 0n
  return divideRoundingUp(
    added * destination.price * 10n ** BigInt(source.decimals),
    sourceAmount * source.price * 10n ** BigInt(destination.decimals),
  )
}

/** The result is rounded up. */
export function feeBipsOf(priced: Priced, amounts: QuotedAmounts): number {
  return Number(divideRoundingUp(priced.terms.feePpm + surchargePpm(priced, amounts), 100n))
}

export function explainQuote(priced: Priced, amounts: QuotedAmounts): SolverQuotePart[] {
  const { parts, terms } = priced
  const worth = usdMicros(amounts.sourceAmount, terms.source.decimals, terms.source.price)
  const share = (name: string, ppm: bigint) => ({ name, ppm, usd: (worth * ppm) / PPM })
  const fixed = (name: string, usd: bigint) => ({ name, ppm: worth === 0n ? PPM : (usd * PPM) / worth, usd })
  return [
    share('base', parts.basePpm),
    share('volatility', parts.volatilityPpm),
    share('inventory', surchargePpm(priced, amounts) - parts.rebatePpm),
    share('premium', parts.premiumPpm),
    share('extra', parts.extraPpm),
    fixed('source_cost', parts.sourceCost),
    fixed('destination_cost', parts.destinationCost),
    fixed('fixed', parts.fixed),
  ]
    .filter(({ ppm, usd }) => ppm !== 0n || usd !== 0n)
    .map(({ name, ppm, usd }) => ({ name, ppm: Number(ppm < PPM ? ppm : PPM), usd_micros: usd.toString() }))
}

/**
 * Returns the source amounts that the solver can take in one swap of a pair, by its limits and its inventory; `max` is 0 if it can take
 * nothing. The range is exact: `min` and `max` can be quoted, and one unit less or more cannot.
 */
export function sourceRange(
  terms: PriceTerms,
  source: Asset,
  destination: Asset,
  available: bigint,
): { readonly min: bigint; readonly max: bigint } {
  const payable = min(available, destination.maxAmount)
  const minSource = max(source.minAmount, priceExactOut(terms, max(destination.minAmount, 1n)))
  // The amount that buys one unit more is the first that is too large.
  const maxSource = min(source.maxAmount, priceExactOut(terms, payable + 1n) - 1n)
  return { min: minSource, max: maxSource < minSource ? 0n : maxSource }
}
