/** Keys on secp256k1 sign with ECDSA, Schnorr (BIP340) and MuSig2 (BIP327). */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { holdKey } from './held-keys.ts'
import type { Key } from './key.ts'
import { startMusig } from './musig2.ts'
import { parsePrivateKey } from './private-key.ts'
import type { Purpose } from './purpose.ts'
import type { Secp256k1RawSigner } from './raw-signer.ts'
import { createSecp256k1Signer } from './secp256k1-signer.ts'

/** `privateKey` is 32 bytes as hex, with or without 0x. */
export function createSecp256k1Key(privateKey: string): Key<'secp256k1'> {
  const pair = pairOf(privateKey)
  return holdKey('secp256k1', { ...pair, rawSignerFor: (purpose) => rawSignerOf(pair, purpose) })
}

/** This is for a user's own key, which signs what its owner wants. */
export function createSecp256k1RawSigner(privateKey: string, purpose: Purpose): Secp256k1RawSigner {
  return rawSignerOf(pairOf(privateKey), purpose)
}

type Pair = { readonly secret: Uint8Array; readonly publicKey: Uint8Array }

function pairOf(privateKey: string): Pair {
  const secret = parsePrivateKey('secp256k1', privateKey, secp256k1.utils.isValidSecretKey)
  return { secret, publicKey: secp256k1.getPublicKey(secret, true) }
}

function rawSignerOf({ secret, publicKey }: Pair, purpose: Purpose): Secp256k1RawSigner {
  return createSecp256k1Signer(secret, publicKey, purpose, () => startMusig(secret, publicKey))
}
