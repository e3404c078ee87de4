/** Keys on secp256k1 sign with ECDSA, Schnorr (BIP340) and MuSig2 (BIP327). */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { KeyOf, Secp256k1Signer } from './key.ts'
import { startMusig } from './musig2.ts'
import { parsePrivateKey } from './private-key.ts'
import { createSecp256k1Signer } from './secp256k1-signer.ts'
import { lendKey } from './sign-in-worker.ts'

/** `privateKey` is 32 bytes as hex, with or without 0x. */
export function createSecp256k1Key(privateKey: string): KeyOf<Secp256k1Signer> {
  const key = parsePrivateKey('secp256k1', privateKey, secp256k1.utils.isValidSecretKey)
  const publicKey = secp256k1.getPublicKey(key, true)
  return {
    curve: 'secp256k1',
    publicKey,
    signerFor: (purpose) =>
      createSecp256k1Signer(key, publicKey, purpose, {
        startMusig: () => startMusig(key, publicKey),
        lend: () => lendKey(key, publicKey, purpose),
      }),
  }
}
