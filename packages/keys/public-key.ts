/** Public keys have the same text form for all curves: hex, of the length of the curve. */
import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { hexToBytes } from '@noble/hashes/utils.js'
import type { Curve, PublicKey } from './key.ts'
import { isStarkPublicKey } from './stark.ts'

type Form = { readonly digits: number; isValid(bytes: Uint8Array): boolean }

const forms: Readonly<Record<Curve, Form>> = {
  secp256k1: { digits: 66, isValid: (bytes) => secp256k1.utils.isValidPublicKey(bytes, true) },
  ed25519: { digits: 64, isValid: (bytes) => ed25519.utils.isValidPublicKey(bytes, false) },
  stark: { digits: 64, isValid: isStarkPublicKey },
}

/** Does not quote the text: it may be a private key. */
export function parsePublicKey(curve: Curve, text: string): PublicKey {
  const { digits, isValid } = forms[curve]
  const publicKey = text.length === digits && /^[0-9a-fA-F]+$/.test(text) ? hexToBytes(text) : null
  if (publicKey === null || !isValid(publicKey))
    throw new Error(`a public key on ${curve} must be ${digits} hex characters and valid there`)
  return { curve, publicKey }
}
