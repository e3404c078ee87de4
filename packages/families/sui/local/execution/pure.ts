// Checks pure arguments: bytes that a caller gives for a type without objects.

const sizes: Readonly<Record<string, number>> = { u8: 1, u16: 2, u32: 4, u64: 8, u128: 16, u256: 32, address: 32 }

/** The bytes must be one value of this type, and nothing more. */
export function isPureBytes(type: string, bytes: Uint8Array): boolean {
  if (type === 'bool') return bytes.length === 1 && (bytes[0] ?? 2) <= 1
  if (type === 'vector<u8>') return isByteVector(bytes)
  return bytes.length === sizes[type]
}

/** The length is a ULEB128 number. */
function isByteVector(bytes: Uint8Array): boolean {
  const end = bytes.findIndex((byte) => byte < 0x80)
  if (end < 0 || end > 4) return false
  const length = bytes.subarray(0, end + 1).reduceRight((value, byte) => value * 128 + (byte & 0x7f), 0)
  return bytes.length === end + 1 + length
}
