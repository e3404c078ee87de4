/** The service's side of the engine: the relay keys, the keys it holds for users, and the moment a redeem with a secret is signed. */

import type { Party, Step } from '../engine/party.ts'
import { createKey, type Keyring } from '../keys/keyring.ts'
import { instantRefunds } from '../protocol/playbook.ts'
import { isSecretFor } from '../protocol/secret.ts'
import type { Database } from '../store/database/database.ts'
import type { Vault } from '../store/orders/sealed-values.ts'

export type ServicePartyOptions = {
  readonly db: Database
  readonly vault: Vault
  /** Pay for what the service sends. */
  readonly relay: Keyring
  readonly attend: NonNullable<Party['attend']>
}

export function createServiceParty({ db, vault, relay, attend }: ServicePartyOptions): Party {
  /** On some chains the user takes part through a key that we made for this order. */
  const actsAsUser = (step: Step) => step.client.orderKeys !== undefined && step.verb !== 'initiate' && !isSignedAlready(step)

  /** Both parties signed it: the relay key only adds to its fee. */
  const isSignedAlready = ({ state, leg, verb }: Step) => verb === 'refund' && leg === 'source' && instantRefunds(state).length > 0

  const payoutAddress = (step: Step) => (actsAsUser(step) ? step.state.order[step.leg].userAddress : null)

  return {
    role: 'service',
    attend,
    async keyFor(step) {
      const { curve } = step.client
      if (!actsAsUser(step)) return relay.of(curve)
      const key = await vault.get(db, step.state.order.id, step.leg === 'source' ? 'source-key' : 'destination-key')
      if (key === null) throw new Error(`order ${step.state.order.id}: its ${step.leg} key is missing`)
      return createKey(curve, key)
    },
    payoutAddress,
    async authorize(step) {
      const { state, client, verb } = step
      // With the secret signed or public there is nothing left to protect by waiting.
      if (verb !== 'redeem' || state.secret !== null || state.secretShown) return
      // Find a recipient that cannot be paid before the secret is shown, and without showing it.
      await client.verifyPayout(state.order.destination.terms, payoutAddress(step))
    },
    async secretFor({ state }) {
      const secret = state.secret ?? (await vault.get(db, state.order.id, 'secret'))
      if (secret === null || !isSecretFor(secret, state.order.destination.terms.secretHash)) {
        throw new Error(`order ${state.order.id}: its secret is missing or not the right one`)
      }
      return secret
    },
  }
}
