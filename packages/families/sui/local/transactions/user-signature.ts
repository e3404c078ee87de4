// Signatures of users over transactions: those of ed25519 keys by node's own crypto, which is fast, the others by the SDK.
import { messageWithIntent } from '@mysten/sui/cryptography'
import { toBase64 } from '@mysten/sui/utils'
import { isValidTransactionSignature } from '@mysten/sui/verify'
import { blake2b } from '@noble/hashes/blake2.js'
import { ed25519PublicKey, isEd25519Signature } from '@tandem/keys/ed25519-native.ts'
import { accountOf, ED25519_FLAG } from '../../terms/address.ts'

const SIGNATURE_BYTES = 64
const KEY_BYTES = 32

/** `signature`: scheme, signature and public key. */
export async function isTransactionSignedBy(address: string, bytes: Uint8Array, signature: Uint8Array): Promise<boolean> {
  if (signature[0] !== ED25519_FLAG || signature.length !== 1 + SIGNATURE_BYTES + KEY_BYTES)
    return isValidTransactionSignature(bytes, toBase64(signature), { address })
  const publicKey = signature.subarray(1 + SIGNATURE_BYTES)
  const digest = blake2b(messageWithIntent('TransactionData', bytes), { dkLen: 32 })
  return (
    accountOf({ curve: 'ed25519', publicKey }) === address &&
    isEd25519Signature(ed25519PublicKey(publicKey), digest, signature.subarray(1, 1 + SIGNATURE_BYTES))
  )
}
