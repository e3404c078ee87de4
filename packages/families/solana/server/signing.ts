/** Everything that our keys sign on Solana. */
import type { Address } from '@solana/kit'
import { signingOf } from '@tandem/keys/operations.ts'
import { consentMessage, type Initiation } from '../contract/client/consent.ts'
import { parseMessage } from '../terms/send/transaction.ts'

export const solanaSigning = signingOf('ed25519', {
  /** Solana signs the message itself, without a prefix: the same key signs other messages for other chains, so it must be a transaction's. */
  transaction(signer, message: Uint8Array) {
    parseMessage(message)
    return signer.signMessage(message)
  },

  refundConsent: (signer, order: Address, initiation: Initiation) => signer.signMessage(consentMessage(order, initiation)),
})
