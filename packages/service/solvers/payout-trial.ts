/** Whether the recipient of an order can be paid, tried by the service itself: it does not believe a solver that says otherwise. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { noteRefusedPayout } from '@tandem/party/store/orders/failed-payouts.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Order } from '@tandem/protocol/order.ts'

/** Why it cannot be paid; null if it can. Throws `ChainFailure` if the nodes do not answer. */
export type PayoutTrial = (order: Order) => Promise<string | null>

/** A recipient that rejects counts towards the limits of recipients, owners and apps: they bound how many declines have this excuse. */
export function createPayoutTrial(context: { readonly db: Database; readonly clients: ReadonlyMap<ChainId, ChainClient> }): PayoutTrial {
  return async ({ id, destination: { chain, terms } }) => {
    const { checkRecipient } = clientFor(context.clients, chain)
    const payout = { amount: terms.amount, payer: terms.initiator, isTrusted: true }
    const obstacle = (await checkRecipient?.(terms.redeemer, terms.asset, payout)) ?? null
    if (obstacle !== null) await noteRefusedPayout(context.db, id)
    return obstacle
  }
}
