// Signs with ed25519 (RFC 8032) by Node's own crypto, which is many times faster than JavaScript.
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'

export interface Ed25519Key {
  /** The key has 32 bytes. */
  readonly publicKey: Uint8Array
  /** The signature has 64 bytes. */
  sign(message: Uint8Array): Uint8Array
}

/** RFC 8410 puts these bytes before the 32 bytes of a private key in PKCS #8. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

export function ed25519Key(seed: Uint8Array): Ed25519Key {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' })
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
  return { publicKey: Uint8Array.from(spki.subarray(-32)), sign: (message) => Uint8Array.from(sign(null, message, key)) }
}

export function isEd25519Signature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') }
  return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature)
}
