/** The service is a party of the engine: here is which key signs which step, and when it may sign a redeem that shows the secret. */

import { ChainFailure, payoutRefused } from '@tandem/chain-kit/port/failure.ts'
import { createOrderKey, type Keyring } from '@tandem/keys/keyring.ts'
import { createFailedPayouts } from '@tandem/party/engine/failed-payouts.ts'
import type { Party, Step } from '@tandem/party/engine/party.ts'
import { noGuard, type RollbackGuard } from '@tandem/party/engine/rollback/rollback-guard.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { readPayoutParties } from '@tandem/party/store/orders/failed-payouts.ts'
import type { Vault } from '@tandem/party/store/orders/sealed-values.ts'
import { assertSealed } from '@tandem/party/store/orders/swap-seals.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { standingOf } from '@tandem/protocol/payout-limits.ts'
import { instantRefunds } from '@tandem/protocol/playbook.ts'
import { isSecretFor } from '@tandem/protocol/secret.ts'

export type ServicePartyOptions = {
  readonly db: Database
  readonly vault: Vault
  readonly relay: Keyring
  /** Tests and benches run without a guard. */
  readonly guard?: RollbackGuard
  readonly onReconciled: NonNullable<Party['onReconciled']>
  /** Charges this part of a payout's fee, in the asset of the destination, to the relay key. False if the budget is used up. Without it the relay key pays nothing. */
  readonly sponsorPayout?: (order: Order, amount: bigint) => Promise<boolean>
  /** This is called each time before a signed instant refund of the source is sent. */
  readonly onInstantRefund?: (order: Order) => Promise<void>
  /** This is called before another return of money at a deposit address is signed. It rejects if that costs the service too much. */
  readonly payForReclaim?: (order: Order, amount: bigint) => Promise<void>
  /** This is called each time before a return is sent, or its fee is raised. */
  readonly onReclaim?: (order: Order) => Promise<void>
}

export function createServiceParty(options: ServicePartyOptions): Party {
  const { db, vault, relay, onReconciled, sponsorPayout, onInstantRefund, payForReclaim, onReclaim, guard = noGuard } = options
  /** On chains with order keys, the service signs redeems and refunds with the key that it made for the user. */
  const actsAsUser = (step: Step) => step.client.orderKeys !== undefined && step.verb !== 'initiate' && !isSignedAlready(step)

  /** Both parties have signed an instant refund; the relay key only pays a higher fee. */
  const isSignedAlready = ({ state, leg, verb }: Step) => verb === 'refund' && leg === 'source' && instantRefunds(state).length > 0

  const payoutAddress = (step: Step) => (actsAsUser(step) ? step.state.order[step.leg].userAddress : null)

  const failedPayouts = createFailedPayouts(db)

  /** Orders are refused whose recipient, owner or app has had too many failed payouts since the order was made. */
  async function assertStanding({ state: { order }, client }: Step): Promise<void> {
    const failed = await failedPayouts()
    const parties = failed.length === 0 ? null : await readPayoutParties(db, order.id)
    if (parties === null) return
    const { refusal, isTrusted } = standingOf(failed, parties, order.id)
    if (refusal !== null) throw payoutRefused(refusal)
    const { redeemer, asset, amount } = order.destination.terms
    const obstacle = isTrusted ? null : ((await client.checkRecipient?.(redeemer, asset, { amount, payer: null, isTrusted })) ?? null)
    if (obstacle !== null) throw payoutRefused(`paying ${redeemer}: ${obstacle}`)
  }

  return {
    role: 'service',
    onReconciled,
    assertUnchanged: (stored) => assertSealed(vault, stored),
    async keyFor(step) {
      if (!actsAsUser(step)) return relay.of(step.client)
      const key = await vault.get(db, step.state.order.id, step.leg === 'source' ? 'source-key' : 'destination-key')
      if (key === null) throw new Error(`order ${step.state.order.id}: its ${step.leg} key is missing`)
      return createOrderKey(step.client, key)
    },
    payoutAddress,
    sponsorFor({ state, leg, verb, client }) {
      const { order } = state
      if (sponsorPayout === undefined || leg !== 'destination' || verb !== 'redeem' || order.destination.maxFee === null) return null
      return { key: relay.of(client), charge: (amount) => sponsorPayout(order, amount) }
    },
    async authorize(step) {
      const { state, client, verb } = step
      if (isSignedAlready(step)) {
        // If the secret is out, the user could get both legs.
        const unsafe = await guard.whyUnsafe(state)
        if (unsafe !== null) throw new ChainFailure('would-fail', unsafe)
        await onInstantRefund?.(state.order)
      }
      if (verb === 'reclaim' && state.order.source.depositAddress !== null) await onReclaim?.(state.order)
      // Once a node may have the secret, withholding the redeem protects nothing.
      if (verb !== 'redeem' || state.secret !== null || state.secretShown) return
      if (step.evidence?.legs.destination === undefined) throw new Error('a secret is not shown without evidence of the destination')
      // A recipient that cannot be paid must fail here: a redeem that fails on the chain would still show the secret.
      await Promise.all([client.verifyPayout(state.order.destination.terms, payoutAddress(step)), assertStanding(step)])
    },
    async payForReclaim(order, amount) {
      if (order.source.depositAddress !== null) await payForReclaim?.(order, amount)
    },
    // A redeem goes on even if the guard cannot record it: a late redeem can cost the user both legs.
    onRecorded: (key, tx) => guard.noteAttempt(key, tx).catch(() => undefined),
    async secretFor({ state }) {
      const { id, destination } = state.order
      const secret = state.secret ?? (await vault.get(db, id, 'secret'))
      if (secret === null || !isSecretFor(secret, destination.terms.secretHash))
        throw new Error(`order ${id}: its secret is missing or does not match the secret hash`)
      return secret
    },
  }
}
