/** Node's own crypto does ed25519 (RFC 8032) many times faster than JavaScript. Browsers cannot use it. */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'

/** By RFC 8410, these bytes stand before the 32 bytes of the key in the DER form of a private key (PKCS #8) and of a public key (SPKI). */
const PRIVATE_KEY_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_KEY_HEAD = Buffer.from('302a300506032b6570032100', 'hex')

export type Ed25519Pair = {
  /** The key has 32 bytes. */
  readonly publicKey: Uint8Array
  /** The signature has 64 bytes. */
  sign(message: Uint8Array): Uint8Array
}

/** `seed` is 32 bytes. */
export function ed25519Pair(seed: Uint8Array): Ed25519Pair {
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_KEY_HEAD, seed]), format: 'der', type: 'pkcs8' })
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' })
  return {
    publicKey: Uint8Array.from(der.subarray(PUBLIC_KEY_HEAD.length)),
    sign: (message) => Uint8Array.from(sign(null, message, key)),
  }
}

/** `publicKey` is 32 bytes. A caller that verifies many signatures should make the object once. */
export function ed25519PublicKey(publicKey: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([PUBLIC_KEY_HEAD, publicKey]), format: 'der', type: 'spki' })
}

export function isEd25519Signature(key: KeyObject, message: Uint8Array, signature: Uint8Array): boolean {
  return verify(null, message, key, signature)
}
