/** Keys on ed25519 (RFC 8032) have the seed as their private key. */
import { ed25519Pair } from './ed25519-native.ts'
import { holdKey } from './held-keys.ts'
import type { Key } from './key.ts'
import { parsePrivateKey } from './private-key.ts'

/** `seed` is 32 bytes as hex, with or without 0x. Every seed is valid. */
export function createEd25519Key(seed: string): Key<'ed25519'> {
  const curve = 'ed25519'
  const { publicKey, sign } = ed25519Pair(parsePrivateKey(curve, seed, () => true))
  return holdKey(curve, { publicKey, rawSignerFor: (purpose) => ({ curve, publicKey, purpose, signMessage: sign }) })
}
