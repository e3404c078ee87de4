// Verifies signatures of users over transactions: those of ed25519 keys by node's own crypto, which is fast, the others by the SDK.
import { messageWithIntent, SIGNATURE_SCHEME_TO_FLAG } from '@mysten/sui/cryptography'
import { Ed25519PublicKey } from '@mysten/sui/keypairs/ed25519'
import { toBase64 } from '@mysten/sui/utils'
import { isValidTransactionSignature } from '@mysten/sui/verify'
import { blake2b } from '@noble/hashes/blake2.js'
import { isEd25519Signature } from '@tandem/chain-kit/local/ed25519.ts'

const SIGNATURE_BYTES = 64
const KEY_BYTES = 32

/** `signature` is scheme, signature and public key. */
export async function isTransactionSignedBy(address: string, bytes: Uint8Array, signature: Uint8Array): Promise<boolean> {
  if (signature[0] !== SIGNATURE_SCHEME_TO_FLAG.ED25519 || signature.length !== 1 + SIGNATURE_BYTES + KEY_BYTES)
    return isValidTransactionSignature(bytes, toBase64(signature), { address })
  const publicKey = signature.subarray(1 + SIGNATURE_BYTES)
  const digest = blake2b(messageWithIntent('TransactionData', bytes), { dkLen: 32 })
  return (
    new Ed25519PublicKey(publicKey).toSuiAddress() === address &&
    isEd25519Signature(publicKey, digest, signature.subarray(1, 1 + SIGNATURE_BYTES))
  )
}
