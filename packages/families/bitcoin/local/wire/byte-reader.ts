// Reads Bitcoin's little-endian wire format and refuses to run past the end or to accept non-canonical lengths.

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
