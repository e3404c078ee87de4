/**
 * What the solver has at risk at once. Confirmations are counted by order, but whoever undoes a block undoes all deposits in it: so the sum of what is
 * not final yet is limited for each source chain. Pure functions.
 */

import type { InFlight } from '@tandem/party/store/solver/in-flight.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { isFinal, type Tip } from '@tandem/protocol/swap-state.ts'

/** What a reorg of its source would cost the solver; 0 once its deposits are final. */
export function unfinalWorth({ usdMicros, source: { block } }: InFlight, chain: Chain, tip: Tip | null): bigint {
  const place = block === null ? null : { height: block.height, ...(block.ordinal !== null && { ordinal: block.ordinal }) }
  return tip !== null && isFinal(place, { ...chain, tip }) ? 0n : usdMicros
}

/** Payments that wait for a client's secret, of all owners: they count from when they are admitted until one side is redeemed or refunded. */
export function unrevealed(flights: readonly InFlight[]): bigint {
  const waiting = flights.filter(
    ({ admitted, clientSecret, source, destination }) => admitted && clientSecret && !source.isSpent && !destination.isSpent,
  )
  return waiting.reduce((sum, { usdMicros }) => sum + usdMicros, 0n)
}

/** Of all admitted orders from this chain. */
export function unfinalOn(chain: Chain, flights: readonly InFlight[], tip: Tip | null): bigint {
  return flights.reduce(
    (sum, flight) => (flight.admitted && flight.source.chain === chain.id ? sum + unfinalWorth(flight, chain, tip) : sum),
    0n,
  )
}
