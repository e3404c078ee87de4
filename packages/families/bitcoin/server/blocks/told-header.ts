/** A header from the fields in which a node tells it. Its 80 bytes are rebuilt, so that its hash is computed and not believed. */
import { hexToBytes } from '@noble/hashes/utils.js'
import { HEADER_BYTES } from './transaction-walk.ts'

/** `height` is not part of a header: the chain of parents proves it. */
export type ToldHeader = { readonly height: bigint; readonly bytes: Uint8Array }

export type HeaderFields = {
  /** A number of 32 bits, with or without a sign. */
  readonly version: number
  readonly parentHash: string
  readonly merkleRoot: string
  readonly time: number
  readonly bits: number
  readonly nonce: number
}

export function encodeHeader({ version, parentHash, merkleRoot, time, bits, nonce }: HeaderFields): Uint8Array {
  const bytes = Buffer.alloc(HEADER_BYTES)
  bytes.writeInt32LE(version | 0, 0)
  bytes.set(hexToBytes(parentHash).reverse(), 4)
  bytes.set(hexToBytes(merkleRoot).reverse(), 36)
  bytes.writeUInt32LE(time, 68)
  bytes.writeUInt32LE(bits, 72)
  bytes.writeUInt32LE(nonce, 76)
  return bytes
}
