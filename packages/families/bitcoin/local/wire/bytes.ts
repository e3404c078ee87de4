// Codes bytes on the wire: hex, hashes, and reading and writing of serialized data.

import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'

const HEX = /^(?:[0-9a-fA-F]{2})*$/

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

export function isHex(text: string): boolean {
  return HEX.test(text)
}

export function fromHex(text: string): Uint8Array {
  if (!isHex(text)) throw new TypeError('not hexadecimal')
  return Uint8Array.from(Buffer.from(text, 'hex'))
}

/** Hashes are little-endian numbers on the wire and shown big-endian. */
export function toDisplayHash(hash: Uint8Array): string {
  return toHex(Uint8Array.from(hash).reverse())
}

export function fromDisplayHash(text: string): Uint8Array {
  return fromHex(text).reverse()
}

export function hash256(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes))
}

export function hash160(bytes: Uint8Array): Uint8Array {
  return ripemd160(sha256(bytes))
}

const tagPrefixes = new Map<string, Uint8Array>()

/** BIP340 defines it as SHA256(SHA256(tag) ‖ SHA256(tag) ‖ message). */
export function taggedHash(tag: string, ...messages: readonly Uint8Array[]): Uint8Array {
  let prefix = tagPrefixes.get(tag)
  if (prefix === undefined) {
    const tagHash = sha256(new TextEncoder().encode(tag))
    prefix = concatBytes(tagHash, tagHash)
    tagPrefixes.set(tag, prefix)
  }
  return sha256(concatBytes(prefix, ...messages))
}

export class MalformedDataError extends Error {
  override readonly name = 'MalformedDataError'
}

const MAX_LENGTH = 0x02000000

export type ByteReader = {
  position(): number
  remaining(): number
  bytes(length: number): Uint8Array
  uint8(): number
  uint32(): number
  int64(): bigint
  compactSize(): number
  lengthPrefixed(): Uint8Array
}

export function createByteReader(source: Uint8Array): ByteReader {
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength)
  let offset = 0

  function advance(length: number): number {
    if (offset + length > source.length) throw new MalformedDataError('unexpected end of data')
    const start = offset
    offset += length
    return start
  }

  function compactSize(): number {
    const first = view.getUint8(advance(1))
    if (first < 0xfd) return first
    const size = first === 0xfd ? view.getUint16(advance(2), true) : first === 0xfe ? view.getUint32(advance(4), true) : Number.NaN
    if (Number.isNaN(size) || size > MAX_LENGTH) throw new MalformedDataError('length too large')
    if (size < (first === 0xfd ? 0xfd : 0x10000)) throw new MalformedDataError('non-canonical length')
    return size
  }

  function bytes(length: number): Uint8Array {
    const start = advance(length)
    return source.slice(start, start + length)
  }

  return {
    position: () => offset,
    remaining: () => source.length - offset,
    bytes,
    uint8: () => view.getUint8(advance(1)),
    uint32: () => view.getUint32(advance(4), true),
    int64: () => view.getBigInt64(advance(8), true),
    compactSize,
    lengthPrefixed: () => bytes(compactSize()),
  }
}

export function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

export function int64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, value, true)
  return bytes
}

export function compactSize(value: number): Uint8Array {
  if (value < 0xfd) return Uint8Array.of(value)
  if (value <= 0xffff) return Uint8Array.of(0xfd, value & 0xff, value >> 8)
  return concatBytes(Uint8Array.of(0xfe), uint32(value))
}

export function lengthPrefixed(bytes: Uint8Array): Uint8Array {
  return concatBytes(compactSize(bytes.length), bytes)
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
