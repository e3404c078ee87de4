/** Everything that our keys sign on Sui. */
import { messageWithIntent } from '@mysten/sui/cryptography'
import { blake2b } from '@noble/hashes/blake2.js'
import { signingOf } from '@tandem/keys/operations.ts'
import type { Ed25519RawSigner } from '@tandem/keys/raw-signer.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { instantRefundDigest } from '../contract/client/order.ts'
import { type HtlcContract, swapIdOf } from '../terms/htlc.ts'

export type SuiOperations = typeof operations

const operations = {
  /** The publication of the package that is called is for the permit alone. It is null if no package of ours is called. */
  transaction: (signer: Ed25519RawSigner, bytes: Uint8Array, _publication: Uint8Array | null) =>
    signer.signMessage(blake2b(messageWithIntent('TransactionData', bytes), { dkLen: 32 })),

  refundConsent: (signer: Ed25519RawSigner, contract: HtlcContract, terms: HtlcTerms) =>
    signer.signMessage(refundDigestOf(contract, terms)),
}

export const suiSigning = signingOf('ed25519', operations, {
  name: 'sui',
  // The registry has a mark of every order.
  locksOnce: true,
})

/** The registry is an object of one network, and the order id binds it and every term. */
export function refundDigestOf(contract: HtlcContract, terms: HtlcTerms): Uint8Array {
  return instantRefundDigest(contract.registry, swapIdOf(contract, terms))
}
