/** The ed25519 keys (RFC 8032) by which services and solvers know each other. They hold no money. */
import { ed25519Pair, ed25519PublicKey, isEd25519Signature } from '@tandem/keys/ed25519-native.ts'
import { parsePrivateKey } from '@tandem/keys/private-key.ts'

export interface SigningKey {
  /** 64 hex characters. */
  readonly publicKey: string
  sign(text: string): string
}

export interface VerifyingKey {
  /** 64 hex characters. */
  readonly publicKey: string
  verify(text: string, signature: string): boolean
}

/** `seed` is 32 bytes as hex, with or without 0x. */
export function createSigningKey(seed: string): SigningKey {
  const { publicKey, sign } = ed25519Pair(parsePrivateKey('ed25519', seed, () => true))
  return {
    publicKey: Buffer.from(publicKey).toString('hex'),
    sign: (text) => Buffer.from(sign(Buffer.from(text))).toString('base64'),
  }
}

export function createVerifyingKey(publicKey: string): VerifyingKey {
  if (!/^[0-9a-f]{64}$/.test(publicKey)) throw new Error(`a public key must be 64 lower-case hex characters, got "${publicKey}"`)
  const key = ed25519PublicKey(Buffer.from(publicKey, 'hex'))
  return { publicKey, verify: (text, signature) => isEd25519Signature(key, Buffer.from(text), Buffer.from(signature, 'base64')) }
}
