/** Reads the facts of an order from the chains now, over the solver's own connections. */
import { ChainFailure } from '../chains/port/failure.ts'
import { type EvidenceQuery, type Proven, proveFacts } from '../engine/evidence/evidence.ts'
import { type LiveFacts, type LiveView, loadLiveFacts } from '../engine/facts.ts'
import { TandemError } from '../protocol/error.ts'
import type { StoredOrder } from '../store/orders/orders.ts'
import type { OrderContext } from './orders.ts'

type How = Pick<LiveView, 'acceptedAgeMs'>

export function readLiveFacts(context: OrderContext, stored: StoredOrder, how: How = {}): Promise<LiveFacts> {
  return orUnavailable(loadLiveFacts({ ...context, ...how }, stored, []))
}

/** Before a signature: what the chains themselves show. What the database says otherwise is told to the operator. */
export async function readProven(
  context: OrderContext,
  stored: StoredOrder,
  { signing, ...query }: EvidenceQuery & { readonly signing: string },
  how: How = {},
): Promise<Proven> {
  const view = { ...context, ...how }
  const proven = await orUnavailable(loadLiveFacts(view, stored, []).then((facts) => proveFacts(view, facts, query)))
  const { differences } = proven
  if (differences.length > 0) context.onDifferences?.({ order: stored.order.id, action: signing, differences })
  return proven
}

/** Nothing is signed while an HTLC is not as the database says. */
export function assertNotContradicted({ differences, isContradicted }: Proven): void {
  if (!isContradicted) return
  throw new TandemError('conflict', `the solver cannot confirm this order on its chains: ${differences[0]?.what}`)
}

async function orUnavailable<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (!(error instanceof ChainFailure)) throw error
    throw new TandemError('chain_unavailable', 'the solver cannot read the chains of this order at the moment; try again', { cause: error })
  }
}
