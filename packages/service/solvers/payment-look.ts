/** Whether a solver has paid for an order, by a look at its address alone: the watcher may not have had the time to look there. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Order } from '@tandem/protocol/order.ts'

/** Rejects if the nodes do not answer: what was not looked at is not unpaid. Mined payments are on record; only the mempool is asked. */
export type PaymentLook = (order: Order) => Promise<boolean>

export function createPaymentLook(clients: ReadonlyMap<ChainId, ChainClient>): PaymentLook {
  return async ({ destination: { chain, swapId, terms } }) => {
    const { unconfirmedEvents } = clientFor(clients, chain)
    const events = (await unconfirmedEvents?.(createWatchedSwaps([{ swapId, terms, deposits: [] }]))) ?? []
    return events.some((event) => event.kind === 'initiated' && event.swapId === swapId)
  }
}
