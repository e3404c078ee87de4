// Hexadecimal text ↔ bytes, and the reversed byte order in which Bitcoin shows hashes to people.

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
