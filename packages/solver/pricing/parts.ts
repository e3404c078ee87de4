/** The parts of a quote, for the operator: how many millionths of the source, and how many dollars each takes. */
import { divideRoundingUp, usdMicros } from '@tandem/protocol/amount.ts'
import type { SolverQuotePart } from '@tandem/protocol/wire/solver.ts'
import { PPM, surcharge } from './price.ts'
import type { Priced } from './terms.ts'

export type QuotedAmounts = { readonly sourceAmount: bigint; readonly destinationAmount: bigint }

/** Of the source's worth, rounded up: what the levels of the inventory add for this amount. */
function surchargePpm({ terms }: Priced, { sourceAmount, destinationAmount }: QuotedAmounts): bigint {
  const { source, destination, levels } = terms
  const added = surcharge(levels, destinationAmount)
  if (added === 0n) return 0n
  return divideRoundingUp(
    added * destination.price * 10n ** BigInt(source.decimals),
    sourceAmount * source.price * 10n ** BigInt(destination.decimals),
  )
}

/** All proportional fees together, rounded up. */
export function feeBipsOf(priced: Priced, amounts: QuotedAmounts): number {
  return Number(divideRoundingUp(priced.terms.feePpm + surchargePpm(priced, amounts), 100n))
}

/** Parts that are 0 are left out. */
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
