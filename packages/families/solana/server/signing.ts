/** Everything that our keys sign on Solana. */
import type { Address } from '@solana/kit'
import { signingOf } from '@tandem/keys/operations.ts'
import type { Ed25519RawSigner } from '@tandem/keys/raw-signer.ts'
import { consentMessage, type Initiation } from '../contract/client/consent.ts'
import { parseMessage } from '../terms/send/transaction.ts'

export type SolanaOperations = typeof operations

const operations = {
  /** Solana signs the message itself, without a prefix: the same key signs other messages for other chains, so it must be a transaction's. */
  transaction(signer: Ed25519RawSigner, message: Uint8Array) {
    parseMessage(message)
    return signer.signMessage(message)
  },

  refundConsent: (signer: Ed25519RawSigner, order: Address, initiation: Initiation) =>
    signer.signMessage(consentMessage(order, initiation)),
}

export const solanaSigning = signingOf('ed25519', operations, {
  name: 'solana',
  // The account of an order has its address from its terms.
  locksOnce: true,
})
