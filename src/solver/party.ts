/** The solver's side of the engine: its own key, and the last check before it pays. */
import { ChainFailure, type Signer } from '../chains/family.ts'
import type { Party } from '../engine/party.ts'
import { maySolverPay } from '../protocol/playbook.ts'
import { isSecretFor } from '../protocol/secret.ts'
import { commitTo, isCommittedTo } from '../store/commitments.ts'
import type { Database } from '../store/database.ts'

export function createSolverParty({ db, signer }: { readonly db: Database; readonly signer: Signer }): Party {
  return {
    role: 'solver',
    signerFor: async () => signer,
    // Its money comes home to its own address, which the family knows from the signer.
    payoutAddress: () => null,
    async authorize({ state, leg, verb }) {
      if (verb !== 'initiate' || leg !== 'destination') return
      const { id } = state.order
      // Somebody paid us on the source without our having gone that way: that is no reason to pay at yesterday's price.
      if (!maySolverPay(state) && !(await isCommittedTo(db, id, 'locked'))) {
        throw new ChainFailure('would-fail', 'this order was never initiated by us, and is not to be any more')
      }
      if (!(await commitTo(db, id, 'locked'))) {
        throw new ChainFailure('would-fail', 'a refund of the source is signed already: the destination must not be initiated')
      }
    },
    async secretFor({ state }) {
      const { secret } = state
      if (secret === null || !isSecretFor(secret, state.order.source.terms.secretHash)) {
        throw new Error(`order ${state.order.id}: what was seen is not its secret`)
      }
      return secret
    },
  }
}
