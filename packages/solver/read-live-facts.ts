/** Reads the facts of an order from the chains now, over the solver's own connections. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { type EvidenceQuery, type Proven, proveFacts } from '@tandem/party/engine/evidence/evidence.ts'
import { type LiveFacts, type LiveView, loadLiveFacts } from '@tandem/party/engine/facts.ts'
import type { StoredOrder } from '@tandem/party/store/orders/orders.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { OrderContext } from './orders.ts'

type How = Pick<LiveView, 'acceptedAgeMs'>

export function readLiveFacts(context: OrderContext, stored: StoredOrder, how: How = {}): Promise<LiveFacts> {
  return orUnavailable(loadLiveFacts({ ...context, ...how }, stored, []))
}

/** Reads what the chains show, before a signature. Differences from the database are reported to the operator. */
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

/** Nothing is signed while an HTLC differs from what the database says. */
export function assertNotContradicted({ differences, isContradicted }: Proven): void {
  if (!isContradicted) return
  throw new TandemError('conflict', `the solver cannot confirm this order on its chains: ${differences[0]?.what}`)
}

/** A service is told that it may ask again. */
export async function orUnavailable<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (!(error instanceof ChainFailure)) throw error
    throw new TandemError('chain_unavailable', 'the solver cannot read the chains of this order at the moment; try again', { cause: error })
  }
}

/** Where another process has the keys, it may be away or refuse. A service is told that it may ask again. */
export async function orNotSigned<T>(signing: Promise<T>): Promise<T> {
  try {
    return await signing
  } catch (error) {
    if (!(error instanceof ChainFailure)) throw error
    throw new TandemError('chain_unavailable', 'the solver cannot sign at the moment; try again', { cause: error })
  }
}
