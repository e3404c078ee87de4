/** The identity of a party in the terms of a Bitcoin HTLC. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { onCurve, type PublicKey } from '@tandem/keys/key.ts'

/** BIP340 x-only form of the compressed public key, lower-case hex. */
export function identityOf(key: PublicKey): string {
  return bytesToHex(onCurve('secp256k1', key).publicKey.subarray(1))
}
