/** Whether the recipient of an order can be paid, as the solver sees it itself: by its own nodes, and by what became of its earlier payments. */
import type { ChainClient } from '../chains/port/client.ts'
import { clientFor } from '../engine/facts.ts'
import { createFailedPayouts } from '../engine/failed-payouts.ts'
import type { Keyring } from '../keys/keyring.ts'
import type { ChainId } from '../protocol/chain-id.ts'
import { TandemError } from '../protocol/error.ts'
import type { Order } from '../protocol/order.ts'
import { type PayoutStanding, standingOf } from '../protocol/payout-limits.ts'
import type { Database } from '../store/database/database.ts'
import { noteRefusedPayout } from '../store/orders/failed-payouts.ts'
import type { PayCheck } from './pay-checks.ts'

export interface Payouts {
  /** Throws `conflict` for a recipient whose payouts failed too often. */
  assertWelcome(order: Order): Promise<void>
  /** Tries the payout right before the solver locks. */
  readonly payCheck: PayCheck
}

export type PayoutsOptions = { readonly db: Database; readonly clients: ReadonlyMap<ChainId, ChainClient>; readonly keys: Keyring }

export function createPayouts({ db, clients, keys }: PayoutsOptions): Payouts {
  const failedPayouts = createFailedPayouts(db)

  async function read({ id, source, destination }: Order): Promise<PayoutStanding> {
    const { chain, terms } = destination
    return standingOf(await failedPayouts(), { chain, recipient: terms.redeemer, owner: source.terms.initiator, app: '' }, id)
  }

  return {
    async assertWelcome(order) {
      const { refusal } = await read(order)
      if (refusal !== null) throw new TandemError('conflict', refusal)
    },
    async payCheck({ order }) {
      const { refusal, isTrusted } = await read(order)
      if (refusal !== null) return refusal
      const { chain, terms } = order.destination
      const client = clientFor(clients, chain)
      const payer = client.addressOf(keys.of(client.curve))
      const obstacle = (await client.checkRecipient?.(terms.redeemer, terms.asset, { amount: terms.amount, payer, isTrusted })) ?? null
      if (obstacle === null) return null
      await noteRefusedPayout(db, order.id)
      return `${terms.redeemer} cannot receive ${terms.asset}: ${obstacle}`
    },
  }
}
