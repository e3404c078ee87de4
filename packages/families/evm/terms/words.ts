/** ABI encoding of values of fixed size, and its hash. The encoder of a library reads the ABI each time, which takes ten times as long. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Address, Hex } from 'viem'

/** An address, a number, or 32 bytes. */
export type Word = Address | bigint | Hex

const DIGITS = 64

/** Each value as 32 bytes, in hex digits without 0x. */
export function encodeWords(values: readonly Word[]): string {
  return values.map(encodeWord).join('')
}

/** Only whole addresses and whole 32 bytes: a shorter one would be padded to another value. */
function encodeWord(value: Word): string {
  if (typeof value !== 'bigint') {
    if (/^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(value)) return value.slice(2).padStart(DIGITS, '0')
    // Not shown: it may be a secret.
    throw new Error('a value is neither an address nor 32 bytes')
  }
  const digits = value.toString(16)
  if (value < 0n || digits.length > DIGITS) throw new Error(`${value} does not fit in 32 bytes`)
  return digits.padStart(DIGITS, '0')
}

/** keccak256 of the bytes of `encodeWords`. */
export function hashWords(words: string): Hex {
  return `0x${bytesToHex(keccak_256(hexToBytes(words)))}`
}
