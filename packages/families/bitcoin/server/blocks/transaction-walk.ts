/**
 * Locates inputs and outputs of raw transactions without parsing them: a block has thousands, of which hardly any matter.
 * `transaction.ts` parses the few that do.
 */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { type BlockHeader, parseHeader } from '../script/transaction.ts'

export type Walked = {
  readonly inputs: readonly number[]
  /** Offset and length of each script alternate. */
  readonly outputs: readonly number[]
  readonly start: number
  readonly end: number
  /** The body begins at the count of inputs and ends with the last output. */
  readonly bodyStart: number
  readonly bodyEnd: number
  /** The witnesses begin at `bodyEnd`. A null means that there are none. */
  readonly witnessEnd: number | null
}

export const HEADER_BYTES = 80
const OUTPOINT_BYTES = 36
const HAS_WITNESS = 1
/** Litecoin Core, primitives/transaction.h: an MWEB part follows the witnesses. In a block only the last transaction has the flag, with an empty part. */
const HAS_EXTENSION = 8

export function walkBlock(block: Buffer, visit: (transaction: Walked) => void): void {
  const cursor = createCursor(block, HEADER_BYTES)
  let hasExtension = false
  for (let left = cursor.compactSize(); left > 0; left--) {
    const { flags, ...body } = walkBody(cursor)
    if (flags & HAS_WITNESS) for (const _ of body.inputs) skipWitness(cursor)
    const witnessEnd = flags & HAS_WITNESS ? cursor.position() : null
    hasExtension = (flags & HAS_EXTENSION) !== 0
    if (hasExtension && cursor.byte() !== 0) throw new Error('an MWEB part is not allowed here')
    cursor.skip(4)
    visit({ ...body, witnessEnd, end: cursor.position() })
  }
  // The last transaction is Litecoin's HogEx, and the MWEB block follows it.
  if (cursor.position() !== block.length && !hasExtension) throw new Error('bytes are left over after the block')
}

export function walkTransaction(transaction: Buffer): Omit<Walked, 'witnessEnd'> {
  return { ...walkBody(createCursor(transaction, 0)), end: transaction.length }
}

export function outpointAt(bytes: Buffer, position: number): string {
  const hash = Buffer.from(bytes.subarray(position, position + 32)).reverse()
  return `${hash.toString('hex')}:${bytes.readUInt32LE(position + 32)}`
}

function walkBody(cursor: Cursor): Omit<Walked, 'witnessEnd' | 'end'> & { readonly flags: number } {
  const start = cursor.position()
  cursor.skip(4)
  let bodyStart = cursor.position()
  let count = cursor.compactSize()
  // BIP144: flags follow an input count of zero.
  const flags = count === 0 ? cursor.byte() : 0
  if (count === 0) {
    bodyStart = cursor.position()
    count = cursor.compactSize()
  }
  const inputs: number[] = []
  for (let left = count; left > 0; left--) {
    inputs.push(cursor.position())
    cursor.skip(OUTPOINT_BYTES)
    cursor.skip(cursor.compactSize())
    cursor.skip(4)
  }
  const outputs: number[] = []
  for (let left = cursor.compactSize(); left > 0; left--) {
    cursor.skip(8)
    const length = cursor.compactSize()
    outputs.push(cursor.position(), length)
    cursor.skip(length)
  }
  return { start, flags, inputs, outputs, bodyStart, bodyEnd: cursor.position() }
}

function skipWitness(cursor: Cursor): void {
  for (let left = cursor.compactSize(); left > 0; left--) cursor.skip(cursor.compactSize())
}

type Cursor = ReturnType<typeof createCursor>

function createCursor(bytes: Buffer, from: number) {
  let position = from
  const skip = (length: number): void => {
    position += length
    if (position > bytes.length) throw new Error(`the data ends ${position - bytes.length} bytes too early`)
  }
  const byte = (): number => {
    const value = bytes.readUInt8(position)
    position += 1
    return value
  }
  return {
    position: () => position,
    skip,
    byte,
    compactSize(): number {
      const first = byte()
      if (first < 0xfd) return first
      const size = first === 0xfd ? 2 : first === 0xfe ? 4 : 6
      const value = bytes.readUIntLE(position, size)
      skip(first === 0xff ? 8 : size)
      return value
    },
  }
}

export type RawBlock = {
  readonly header: BlockHeader
  readonly bytes: Buffer
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
