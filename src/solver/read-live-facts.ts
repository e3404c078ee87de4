/** Reads the facts of an order from the chains now, over the solver's own connections. */
import { ChainFailure } from '../chains/port/failure.ts'
import { type LiveView, loadLiveFacts } from '../engine/facts.ts'
import { TandemError } from '../protocol/error.ts'
import type { OrderFacts } from '../protocol/state.ts'
import type { StoredOrder } from '../store/orders/orders.ts'
import type { OrderContext } from './orders.ts'

export async function readLiveFacts(
  context: OrderContext,
  stored: StoredOrder,
  how: Pick<LiveView, 'acceptedAgeMs'> = {},
): Promise<OrderFacts> {
  try {
    return await loadLiveFacts({ ...context, ...how }, stored, [])
  } catch (error) {
    if (!(error instanceof ChainFailure)) throw error
    throw new TandemError('chain_unavailable', 'the solver cannot read the chains of this order at the moment; try again', { cause: error })
  }
}
