/** Secrets are exactly 32 bytes, and their hashes SHA-256, on every chain. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes, randomBytes } from '@noble/hashes/utils.js'
import { TandemError } from './error.ts'

/** The text is 64 lower-case hex characters without prefix. */
export type Hex32 = string

export function createSecret(): Hex32 {
  return bytesToHex(randomBytes(32))
}

export function hashSecret(secret: Hex32): Hex32 {
  return bytesToHex(sha256(hexToBytes(secret)))
}

export function isSecretFor(secret: Hex32, secretHash: Hex32): boolean {
  return /^[0-9a-f]{64}$/.test(secret) && hashSecret(secret) === secretHash
}

/** An 0x prefix and upper case are accepted. Hashes that anyone could open are refused (zero, the hash of 32 zero bytes). */
export function parseSecretHash(text: string): Hex32 {
  const match = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text)
  const hash = match?.[1]?.toLowerCase()
  if (hash === undefined)
    throw new TandemError('bad_request', 'secret_hash must be 32 bytes as hex: 64 characters, with or without 0x before them')
  if (TRIVIAL_HASHES.has(hash))
    throw new TandemError(
      'bad_request',
      'secret_hash is the hash of a value anyone would guess: make a secret of 32 random bytes, and give its SHA-256 hash',
    )
  return hash
}

const TRIVIAL_HASHES: ReadonlySet<Hex32> = new Set(['00'.repeat(32), hashSecret('00'.repeat(32)), hashSecret('ff'.repeat(32))])
