import type { Signer } from '@tandem/keys/key.ts'
import { ED25519_FLAG } from '../../terms/address.ts'
import type { SignedTransaction } from '../nodes/node.ts'
import { suiSigning } from '../signing.ts'

/** The signature is scheme, signature and public key, in the form of nodes. */
export async function signTransaction(
  signer: Signer,
  bytes: Uint8Array,
  publication: Uint8Array | null = null,
): Promise<SignedTransaction> {
  const signature = await suiSigning.sign('transaction', signer, bytes, publication)
  return { bytes, signature: Uint8Array.of(ED25519_FLAG, ...signature, ...signer.publicKey) }
}
