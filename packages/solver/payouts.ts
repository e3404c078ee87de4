/** Checks whether the recipient of an order can be paid, by the solver's own nodes and by the results of earlier payments. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { PublicKeyring } from '@tandem/keys/keyring.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import { createFailedPayouts } from '@tandem/party/engine/failed-payouts.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { noteRefusedPayout } from '@tandem/party/store/orders/failed-payouts.ts'
import { findOrderRisk } from '@tandem/party/store/solver/order-risks.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { type PayoutStanding, standingOf } from '@tandem/protocol/payout-limits.ts'
import type { PayCheck } from './pay-checks.ts'

export interface Payouts {
  /** Throws `conflict` if payouts to this recipient failed too often in orders of this service. */
  assertWelcome(order: Order, service: string): Promise<void>
  readonly payCheck: PayCheck
}

export type PayoutsOptions = { readonly db: Database; readonly clients: ReadonlyMap<ChainId, ChainClient>; readonly keys: PublicKeyring }

export function createPayouts({ db, clients, keys }: PayoutsOptions): Payouts {
  const failedPayouts = createFailedPayouts(db)

  /** Only failures in orders of the same service count: another service could have invented them. */
  async function read({ id, source, destination }: Order, serviceOf: () => Promise<string>): Promise<PayoutStanding> {
    const { chain, terms } = destination
    const parties = { chain, recipient: terms.redeemer, owner: source.terms.initiator, app: '' }
    const failed = await failedPayouts()
    const ofAll = standingOf(failed, parties, id)
    if (ofAll.refusal === null && ofAll.isTrusted) return ofAll
    const service = await serviceOf()
    return standingOf(
      failed.filter((one) => one.service === service),
      parties,
      id,
    )
  }

  return {
    async assertWelcome(order, service) {
      const { refusal } = await read(order, async () => service)
      if (refusal !== null) throw new TandemError('conflict', refusal)
    },
    async payCheck({ order }) {
      const { refusal, isTrusted } = await read(order, async () => (await findOrderRisk(db, order.id))?.service ?? '')
      if (refusal !== null) return refusal
      const { chain, terms } = order.destination
      const client = clientFor(clients, chain)
      const payer = client.addressOf(keys.of(client))
      const obstacle = (await client.checkRecipient?.(terms.redeemer, terms.asset, { amount: terms.amount, payer, isTrusted })) ?? null
      if (obstacle === null) return null
      await noteRefusedPayout(db, order.id)
      return `${terms.redeemer} cannot receive ${terms.asset}: ${obstacle}`
    },
  }
}
