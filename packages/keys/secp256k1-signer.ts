/** A secp256k1 key signs with ECDSA and Schnorr (BIP340). */
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import type { Purpose } from './purpose.ts'
import type { Secp256k1RawSigner } from './raw-signer.ts'

export function createSecp256k1Signer(
  key: Uint8Array,
  publicKey: Uint8Array,
  purpose: Purpose,
  startMusig: Secp256k1RawSigner['startMusig'],
): Secp256k1RawSigner {
  return {
    curve: 'secp256k1',
    publicKey,
    purpose,
    signEcdsa(digest) {
      const recovered = secp256k1.sign(digest, key, { prehash: false, lowS: true, format: 'recovered' })
      // noble puts the recovery byte first; r ‖ s ‖ recovery is what chains expect.
      return Uint8Array.from([...recovered.subarray(1), recovered[0] ?? 0])
    },
    signSchnorr: (digest) => schnorr.sign(digest, key),
    startMusig,
  }
}
