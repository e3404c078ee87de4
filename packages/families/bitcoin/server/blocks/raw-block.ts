/** A raw block whose transactions are located but not parsed. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { type BlockHeader, parseHeader } from '../script/transaction.ts'
import { HEADER_BYTES, type Walked, walkBlock } from './transaction-walk.ts'

export type RawBlock = {
  readonly header: BlockHeader
  readonly bytes: Buffer
  /** In the order of the block. Positions are offsets into `bytes`. */
  walk(visit: (transaction: Walked) => void): void
}

export function asRawBlock(answer: Uint8Array): RawBlock {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.length)
  return {
    header: orBroken(bytes, () => parseHeader(Uint8Array.from(answer.subarray(0, HEADER_BYTES)))),
    bytes,
    walk: (visit) => orBroken(bytes, () => walkBlock(bytes, visit)),
  }
}

/** Bytes that are not a block mean a faulty node, not a bug here. */
function orBroken<T>(bytes: Buffer, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new ChainFailure('unreachable', `the node's answer is malformed: ${bytes.length} bytes are not a block`, { cause })
  }
}
