/** The ed25519 keys (RFC 8032) by which services and solvers know each other. They hold no money. */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { parsePrivateKey } from '../keys/private-key.ts'

export interface SigningKey {
  /** 64 hex characters. */
  readonly publicKey: string
  /** The signature in base64. */
  sign(text: string): string
}

export interface VerifyingKey {
  /** 64 hex characters. */
  readonly publicKey: string
  /** `signature` is in base64. */
  verify(text: string, signature: string): boolean
}

/** RFC 8410: what comes before the 32 bytes in the DER form of a private key (PKCS #8) and of a public key (SPKI). */
const PRIVATE_KEY_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_KEY_HEAD = Buffer.from('302a300506032b6570032100', 'hex')

/** `seed` is 32 bytes as hex, with or without 0x. */
export function createSigningKey(seed: string): SigningKey {
  const bytes = parsePrivateKey('ed25519', seed, () => true)
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_KEY_HEAD, bytes]), format: 'der', type: 'pkcs8' })
  return { publicKey: publicHex(key), sign: (text) => sign(null, Buffer.from(text), key).toString('base64') }
}

/** `publicKey` is 64 hex characters. */
export function createVerifyingKey(publicKey: string): VerifyingKey {
  if (!/^[0-9a-f]{64}$/.test(publicKey)) throw new Error(`a public key must be 64 lower-case hex characters, got "${publicKey}"`)
  const key = createPublicKey({ key: Buffer.concat([PUBLIC_KEY_HEAD, Buffer.from(publicKey, 'hex')]), format: 'der', type: 'spki' })
  return { publicKey, verify: (text, signature) => verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64')) }
}

function publicHex(key: KeyObject): string {
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(PUBLIC_KEY_HEAD.length).toString('hex')
}
