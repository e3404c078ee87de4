/** Keys on ed25519 (RFC 8032) have the seed as their private key. */
import { ed25519Pair } from './ed25519-native.ts'
import type { Ed25519Signer, KeyOf } from './key.ts'
import { parsePrivateKey } from './private-key.ts'

/** `seed` is 32 bytes as hex, with or without 0x. Every seed is valid. */
export function createEd25519Key(seed: string): KeyOf<Ed25519Signer> {
  const curve = 'ed25519'
  const { publicKey, sign } = ed25519Pair(parsePrivateKey(curve, seed, () => true))
  return { curve, publicKey, signerFor: (purpose) => ({ curve, publicKey, purpose, signMessage: sign }) }
}
