// Encodes and hashes blocks and headers, and finds their witness commitment (BIP141).
import { concatBytes } from '@noble/hashes/utils.js'
import { readTransaction, type Transaction } from '../transaction/transaction.ts'
import { compactSize, createByteReader, fromDisplayHash, hash256, MalformedDataError, toDisplayHash, uint32 } from '../wire/bytes.ts'
import { merkleRoot } from './merkle.ts'

export type BlockHeader = {
  readonly version: number
  readonly previousHash: string
  readonly merkleRoot: string
  readonly time: number
  readonly bits: number
  readonly nonce: number
}

export type Block = {
  readonly hash: string
  readonly header: BlockHeader
  readonly transactions: readonly Transaction[]
  readonly size: number
  readonly strippedSize: number
  readonly weight: number
}

const HEADER_SIZE = 80
const COMMITMENT_PREFIX = Uint8Array.of(0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed)
const COMMITMENT_SCRIPT_SIZE = 38

export function serializeHeader(header: BlockHeader): Uint8Array {
  return concatBytes(
    uint32(header.version),
    fromDisplayHash(header.previousHash),
    fromDisplayHash(header.merkleRoot),
    uint32(header.time),
    uint32(header.bits),
    uint32(header.nonce),
  )
}

export function createBlock(header: BlockHeader, transactions: readonly Transaction[]): Block {
  const overhead = HEADER_SIZE + compactSize(transactions.length).length
  const size = transactions.reduce((sum, transaction) => sum + transaction.raw.length, overhead)
  const strippedSize = transactions.reduce((sum, transaction) => sum + transaction.strippedSize, overhead)
  return {
    hash: toDisplayHash(hash256(serializeHeader(header))),
    header,
    transactions,
    size,
    strippedSize,
    weight: strippedSize * 3 + size,
  }
}

export function serializeBlock(block: Block): Uint8Array {
  const raws = block.transactions.map((transaction) => transaction.raw)
  return concatBytes(serializeHeader(block.header), compactSize(raws.length), ...raws)
}

export function parseBlock(raw: Uint8Array): Block {
  const reader = createByteReader(raw)
  const header: BlockHeader = {
    version: reader.uint32(),
    previousHash: toDisplayHash(reader.bytes(32)),
    merkleRoot: toDisplayHash(reader.bytes(32)),
    time: reader.uint32(),
    bits: reader.uint32(),
    nonce: reader.uint32(),
  }
  const transactions = Array.from({ length: reader.compactSize() }, () => readTransaction(reader))
  if (reader.remaining() > 0) throw new MalformedDataError('data after the block')
  return createBlock(header, transactions)
}

export function commitmentScript(transactions: readonly Transaction[], nonce: Uint8Array): Uint8Array {
  // BIP141: the coinbase's own wtxid counts as zero.
  const leaves = transactions.map((transaction, i) => (i === 0 ? new Uint8Array(32) : fromDisplayHash(transaction.wtxid)))
  return concatBytes(COMMITMENT_PREFIX, hash256(concatBytes(merkleRoot(leaves).root, nonce)))
}

/** The last output of the coinbase with the form of a commitment counts. */
export function findCommitment(coinbase: Transaction): Uint8Array | null {
  const script = coinbase.outputs.findLast(
    (output) => output.script.length >= COMMITMENT_SCRIPT_SIZE && COMMITMENT_PREFIX.every((byte, i) => output.script[i] === byte),
  )?.script
  return script?.subarray(0, COMMITMENT_SCRIPT_SIZE) ?? null
}
