/** Bids are ranked by their value for the user. */
import type { Leg } from '@tandem/protocol/order.ts'
import type { QuoteExplanation } from '@tandem/protocol/wire/quote.ts'

export type Bid = {
  readonly solverId: string
  readonly quoteId: string
  readonly sourceAmount: bigint
  readonly destinationAmount: bigint
  readonly feeBips: number
  readonly fixedFeeUsdMicros: bigint
  readonly estimatedSeconds: number
  readonly expiresAt: bigint
  readonly explanation: QuoteExplanation | null
}

/**
 * The best bid comes first. `exact` is the leg whose amount the user fixed. The other amount decides, then the estimated time, then the
 * reliability of the solver, then the id.
 */
export function rankBids(bids: readonly Bid[], exact: Leg, reliabilityOf: (solverId: string) => number): readonly Bid[] {
  const reliability = new Map(bids.map(({ solverId }) => [solverId, reliabilityOf(solverId)]))
  const reliabilityIn = ({ solverId }: Bid) => reliability.get(solverId) ?? 0
  return [...bids].sort((a, b) => {
    const better = exact === 'source' ? compare(b.destinationAmount, a.destinationAmount) : compare(a.sourceAmount, b.sourceAmount)
    return better || a.estimatedSeconds - b.estimatedSeconds || reliabilityIn(b) - reliabilityIn(a) || compare(a.solverId, b.solverId)
  })
}

function compare<T extends bigint | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}
