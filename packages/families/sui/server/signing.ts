/** Everything that our keys sign on Sui. */
import { messageWithIntent } from '@mysten/sui/cryptography'
import { blake2b } from '@noble/hashes/blake2.js'
import { signingOf } from '@tandem/keys/operations.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { instantRefundDigest } from '../contract/client/order.ts'
import { type HtlcContract, swapIdOf } from '../terms/htlc.ts'

export const suiSigning = signingOf('ed25519', {
  transaction: (signer, bytes: Uint8Array) => signer.signMessage(blake2b(messageWithIntent('TransactionData', bytes), { dkLen: 32 })),

  refundConsent: (signer, contract: HtlcContract, terms: HtlcTerms) => signer.signMessage(refundDigestOf(contract, terms)),
})

/** The registry is an object of one network, and the order id binds it and every term. */
export function refundDigestOf(contract: HtlcContract, terms: HtlcTerms): Uint8Array {
  return instantRefundDigest(contract.registry, swapIdOf(contract, terms))
}
