/** Private keys have the same text form for all curves. */
import { hexToBytes } from '@noble/hashes/utils.js'
import type { Curve } from './key.ts'

/** The text is 32 bytes as hex, with or without 0x. */
export function parsePrivateKey(curve: Curve, text: string, isValid: (bytes: Uint8Array) => boolean): Uint8Array {
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text)?.[1]
  const bytes = digits === undefined ? null : hexToBytes(digits)
  // The message must not quote the value, which may be a real key with a typing error.
  if (bytes === null || !isValid(bytes)) throw new Error(`a private key must be 32 bytes as hex and valid on ${curve}`)
  return bytes
}
