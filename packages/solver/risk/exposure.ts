/**
 * Computes the amounts that the solver has at risk at one time. Confirmations are counted for each order, but undoing a block undoes all
 * deposits in it, so the sum of what is not final is limited for each source chain. The functions are pure.
 */

import type { InFlight } from '@tandem/party/store/solver/in-flight.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { isFinal, type Tip } from '@tandem/protocol/swap-state.ts'

/** Returns what a reorg of the source chain would cost the solver; 0 once the deposits are final. */
export function unfinalWorth({ usdMicros, source: { block } }: InFlight, chain: Chain, tip: Tip | null): bigint {
  const place = block === null ? null : { height: block.height, ...(block.ordinal !== null && { ordinal: block.ordinal }) }
  return tip !== null && isFinal(place, { ...chain, tip }) ? 0n : usdMicros
}

/**
 * Sums up payments of all owners that wait for client-held secrets. They count from their admission until one side is redeemed or refunded.
 */
export function unrevealed(flights: readonly InFlight[]): bigint {
  const waiting = flights.filter(
    ({ admitted, clientSecret, source, destination }) => admitted && clientSecret && !source.isSpent && !destination.isSpent,
  )
  return waiting.reduce((sum, { usdMicros }) => sum + usdMicros, 0n)
}

export function unfinalOn(chain: Chain, flights: readonly InFlight[], tip: Tip | null): bigint {
  return flights.reduce(
    (sum, flight) => (flight.admitted && flight.source.chain === chain.id ? sum + unfinalWorth(flight, chain, tip) : sum),
    0n,
  )
}
