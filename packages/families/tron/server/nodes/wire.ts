/** Splits the outer protobuf message of a transaction: raw data in field 1, signatures in field 2. */

export type WireTransaction = { readonly rawData: Uint8Array; readonly signatures: readonly Uint8Array[] }

const RAW_DATA = 1
const SIGNATURE = 2
const LENGTH_DELIMITED = 2

export function splitTransaction(bytes: Uint8Array): WireTransaction {
  let offset = 0
  let rawData: Uint8Array | null = null
  const signatures: Uint8Array[] = []
  const readVarint = (): number => {
    let value = 0
    for (let shift = 0; shift < 32; shift += 7) {
      const byte = bytes[offset]
      if (byte === undefined) break
      offset += 1
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
    throw new Error('the transaction has a varint that does not end')
  }
  while (offset < bytes.length) {
    const tag = readVarint()
    if ((tag & 7) !== LENGTH_DELIMITED) throw new Error('the transaction has an unexpected field')
    const length = readVarint()
    const field = bytes.subarray(offset, offset + length)
    if (field.length !== length) throw new Error('the transaction is cut off')
    offset += length
    if (tag >> 3 === RAW_DATA && rawData === null) rawData = field
    else if (tag >> 3 === SIGNATURE) signatures.push(field)
    else throw new Error('the transaction has an unexpected field')
  }
  if (rawData === null) throw new Error('the transaction has no raw data')
  return { rawData, signatures }
}

export function joinTransaction({ rawData, signatures }: WireTransaction): Uint8Array {
  return Uint8Array.from([...field(RAW_DATA, rawData), ...signatures.flatMap((signature) => field(SIGNATURE, signature))])
}

function field(number: number, content: Uint8Array): number[] {
  return [(number << 3) | LENGTH_DELIMITED, ...varint(content.length), ...content]
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}
