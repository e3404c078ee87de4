/** Parses Sui addresses: 32 bytes in hex without a checksum. Accounts, objects, packages and all networks share this form. */

import { fromBase58 } from '@mysten/sui/utils'
import { blake2b } from '@noble/hashes/blake2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { TextForms } from '@tandem/chain-kit/port/text-forms.ts'
import { onCurve, type PublicKey } from '@tandem/keys/key.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { basicForms } from './facts.ts'

const DIGEST_BYTES = 32

/** The base58 form of 32 bytes has at most 44 characters. Decoding takes time that grows with the square of the length. */
const MAX_DIGEST_LENGTH = 44

export const textForms: TextForms = {
  ...basicForms,
  parseAddress,
  parseIdentity: parseAddress,
  parseTransactionId(text) {
    if (isDigest(text)) return text
    throw new TandemError(
      'bad_request',
      `"${text.slice(0, 100)}" is not the digest of a Sui transaction: expected ${DIGEST_BYTES} bytes in base58`,
    )
  },
}

/** The form is 0x and 64 lower-case hex digits, so that equal addresses are equal strings. */
export type Address = `0x${string}`

const DIGITS = 64

export const ED25519_FLAG = 0

/** All digits are required: a shorter text is of another chain, or an object of the system. Nobody has the key of a padded one. */
export function parseAddress(text: string): Address {
  const refuse = (why: string) => new TandemError('invalid_address', `"${text.slice(0, 90)}" is not a Sui address: ${why}`)
  const digits = /^0x([0-9a-fA-F]*)$/.exec(text)?.[1]
  if (digits === undefined) throw refuse(`expected 0x followed by ${DIGITS} hex digits`)
  if (digits.length !== DIGITS) throw refuse(`expected ${DIGITS} hex digits, got ${digits.length}`)
  if (/^0*$/.test(digits)) throw refuse('money sent to the zero address is lost')
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  if (!isOneCase) throw refuse('it has a checksum in its upper and lower case letters, as addresses of other chains do')
  return `0x${digits.toLowerCase()}`
}

/** Nodes and configurations may omit leading zeros. */
export function paddedAddress(text: string): Address {
  return parseAddress(/^0x[0-9a-fA-F]+$/.test(text) ? `0x${text.slice(2).toLowerCase().padStart(DIGITS, '0')}` : text)
}

export function accountOf(key: PublicKey): Address {
  const { publicKey } = onCurve('ed25519', key)
  const hash = blake2b(Uint8Array.of(ED25519_FLAG, ...publicKey), { dkLen: 32 })
  return `0x${bytesToHex(hash)}`
}

function isDigest(text: string): boolean {
  if (!/^[1-9A-HJ-NP-Za-km-z]+$/.test(text) || text.length > MAX_DIGEST_LENGTH) return false
  return fromBase58(text).length === DIGEST_BYTES
}
