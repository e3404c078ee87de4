/** Parses raw transactions and block headers. Txids are computed only when needed. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import type { BitcoinNetwork } from '../../terms/networks.ts'

export type Outpoint = string

export type TransactionInput = { readonly outpoint: Outpoint; readonly sequence: number; readonly witness: readonly Uint8Array[] }
export type TransactionOutput = { readonly amount: bigint; readonly script: Uint8Array }

export type ParsedTransaction = {
  readonly inputs: readonly TransactionInput[]
  readonly outputs: readonly TransactionOutput[]
  /** BIP141: the virtual size is weight / 4, rounded up. */
  readonly vsize: bigint
  readonly bytes: Uint8Array
  /** The id is wrong for a transaction that is only on MWEB. Such a transaction has no output on the main chain, so nobody asks for it. */
  readonly txid: () => string
}

export type BlockHeader = {
  readonly hash: string
  readonly parentHash: string
  readonly merkleRoot: string
  readonly time: bigint
  readonly bits: number
}

const HEADER_BYTES = 80
const LOCK_TIME_BYTES = 4

type WireFormat = Pick<BitcoinNetwork, 'mweb'>

const PLAIN: WireFormat = { mweb: null }

const WITNESS_FLAG = 1
/** Litecoin Core (primitives/transaction.h) puts an MWEB part after the witnesses. */
const MWEB_FLAG = 8

export function parseTransaction(hex: string, format: WireFormat = PLAIN): ParsedTransaction {
  const cursor = createCursor(hexToBytes(hex))
  const transaction = readTransaction(cursor, format)
  if (!cursor.done()) throw new Error('bytes are left over after the transaction')
  return transaction
}

export function parseHeader(bytes: Uint8Array): BlockHeader {
  if (bytes.length !== HEADER_BYTES) throw new Error(`a block header has ${HEADER_BYTES} bytes, got ${bytes.length}`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return {
    hash: displayHash(sha256d(bytes)),
    parentHash: displayHash(bytes.slice(4, 36)),
    merkleRoot: displayHash(bytes.slice(36, 68)),
    time: BigInt(view.getUint32(68, true)),
    bits: view.getUint32(72, true),
  }
}

/** The outputs of a coinbase cannot be spent for 100 blocks. */
export function isCoinbase(transaction: ParsedTransaction): boolean {
  return transaction.inputs[0]?.outpoint === `${'00'.repeat(32)}:${0xffffffff}`
}

function readTransaction(cursor: Cursor, format: WireFormat): ParsedTransaction {
  const start = cursor.position()
  const version = cursor.take(4)
  const flags = readFlags(cursor, format)
  const hasWitness = (flags & WITNESS_FLAG) !== 0
  const bodyStart = cursor.position()
  const bare = Array.from({ length: cursor.compactSize() }, () => readInput(cursor))
  const outputs = Array.from({ length: cursor.compactSize() }, () => readOutput(cursor))
  const body = cursor.slice(bodyStart, cursor.position())
  const inputs = bare.map((input) => ({ ...input, witness: hasWitness ? readWitness(cursor) : [] }))
  if ((flags & MWEB_FLAG) !== 0) skipMwebPart(cursor)
  const lockTime = cursor.take(4)
  const bytes = cursor.slice(start, cursor.position())
  const strippedLength = body.length + 8
  let id: string | null = null
  return {
    inputs,
    outputs,
    vsize: BigInt(Math.ceil((strippedLength * 3 + bytes.length) / 4)),
    bytes,
    txid: () => {
      id ??= displayHash(sha256d(concatBytes(version, body, lockTime)))
      return id
    },
  }
}

/** BIP144: an input count of zero marks the extended format. The byte after it says which optional parts follow. */
function readFlags(cursor: Cursor, { mweb }: WireFormat): number {
  const known = mweb === null ? WITNESS_FLAG : WITNESS_FLAG | MWEB_FLAG
  const flags = cursor.peek(0) === 0 ? (cursor.peek(1) ?? 0) : 0
  if (flags === 0 || (flags & ~known) !== 0) return 0
  cursor.take(2)
  return flags
}

/** The MWEB part is empty in the transaction that ends a block with MWEB; in others it is all that remains. */
function skipMwebPart(cursor: Cursor): void {
  const [present] = cursor.take(1)
  if (present === 0) return
  if (present !== 1) throw new Error('an MWEB part is not allowed here')
  cursor.take(cursor.left() - LOCK_TIME_BYTES)
}

function readInput(cursor: Cursor): Omit<TransactionInput, 'witness'> {
  const txid = displayHash(cursor.take(32).slice())
  const vout = cursor.uint32()
  cursor.take(cursor.compactSize())
  return { outpoint: `${txid}:${vout}`, sequence: cursor.uint32() }
}

function readOutput(cursor: Cursor): TransactionOutput {
  const amount = cursor.uint64()
  return { amount, script: cursor.take(cursor.compactSize()) }
}

function readWitness(cursor: Cursor): Uint8Array[] {
  return Array.from({ length: cursor.compactSize() }, () => cursor.take(cursor.compactSize()))
}

function sha256d(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes))
}

/** Hashes are shown byte-reversed. The argument is reversed in place. */
function displayHash(bytes: Uint8Array): string {
  return bytesToHex(bytes.reverse())
}

type Cursor = ReturnType<typeof createCursor>

function createCursor(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let position = 0
  const advance = (length: number) => {
    const from = position
    if (length < 0 || from + length > bytes.length) throw new Error(`the data ends ${from + length - bytes.length} bytes too early`)
    position += length
    return from
  }
  const uint32 = () => view.getUint32(advance(4), true)
  const uint64 = () => view.getBigUint64(advance(8), true)
  return {
    position: () => position,
    done: () => position === bytes.length,
    left: () => bytes.length - position,
    peek: (ahead: number) => bytes[position + ahead],
    slice: (from: number, to: number) => bytes.subarray(from, to),
    take: (length: number) => {
      const from = advance(length)
      return bytes.subarray(from, from + length)
    },
    uint32,
    uint64,
    compactSize: () => {
      const first = view.getUint8(advance(1))
      if (first < 0xfd) return first
      if (first === 0xfd) return view.getUint16(advance(2), true)
      if (first === 0xfe) return uint32()
      return Number(uint64())
    },
  }
}
