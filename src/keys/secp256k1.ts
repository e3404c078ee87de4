/** Keys on secp256k1: ECDSA, Schnorr (BIP340) and MuSig2 (BIP327). */
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import type { KeyOf, Secp256k1Signer } from './key.ts'
import { startMusig } from './musig2.ts'
import { parsePrivateKey } from './private-key.ts'

/** `privateKey` is 32 bytes as hex, with or without 0x. */
export function createSecp256k1Key(privateKey: string): KeyOf<Secp256k1Signer> {
  const key = parsePrivateKey('secp256k1', privateKey, secp256k1.utils.isValidSecretKey)
  const curve = 'secp256k1'
  const publicKey = secp256k1.getPublicKey(key, true)
  return {
    curve,
    publicKey,
    signerFor: (purpose) => ({
      curve,
      publicKey,
      purpose,
      signEcdsa(digest) {
        const recovered = secp256k1.sign(digest, key, { prehash: false, lowS: true, format: 'recovered' })
        // noble puts the recovery byte first; r ‖ s ‖ recovery is what chains expect.
        return Uint8Array.from([...recovered.subarray(1), recovered[0] ?? 0])
      },
      signSchnorr: (digest) => schnorr.sign(digest, key),
      startMusig: () => startMusig(key, publicKey),
    }),
  }
}
