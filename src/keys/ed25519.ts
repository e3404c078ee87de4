/** Keys on ed25519 (RFC 8032). The private key is the seed. */
import { ed25519 } from '@noble/curves/ed25519.js'
import type { Ed25519Signer, KeyOf } from './key.ts'
import { parsePrivateKey } from './private-key.ts'

/** `seed` is 32 bytes as hex, with or without 0x. */
export function createEd25519Key(seed: string): KeyOf<Ed25519Signer> {
  const key = parsePrivateKey('ed25519', seed, ed25519.utils.isValidSecretKey)
  const curve = 'ed25519'
  const publicKey = ed25519.getPublicKey(key)
  return {
    curve,
    publicKey,
    signerFor: (purpose) => ({ curve, publicKey, purpose, signMessage: (message) => ed25519.sign(message, key) }),
  }
}
