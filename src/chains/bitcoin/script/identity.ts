/** What a signer is called inside the terms of a Bitcoin HTLC. */
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Signer } from '../../../keys/key.ts'

/** BIP340 x-only form of the compressed public key, lower-case hex. */
export function identityOf(signer: Signer): string {
  return bytesToHex(signer.publicKey.subarray(1))
}
