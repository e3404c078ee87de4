/** Finds a secret in a signed transaction: in hex, in base64, or as eight 32-bit words. The conformance suite covers every family. */
import type { Hex32 } from '@tandem/protocol/secret.ts'

const BASE64 = /[A-Za-z0-9+/]{43,}={0,2}/g
const HEX = /^(?:0x)?((?:[0-9a-f]{2})+)$/i

export function containsSecret(raw: string, secret: Hex32): boolean {
  const digits = secret.toLowerCase()
  if (raw.toLowerCase().includes(digits)) return true
  const words = (digits.match(/.{8}/g) ?? []).map((word) => `0x0*${BigInt(`0x${word}`).toString(16)}`)
  const inWords = new RegExp(`${words.join('[^0-9a-z]+')}[^0-9a-z]`, 'i')
  const [, bytes] = HEX.exec(raw) ?? []
  if (inWords.test(raw) || (bytes !== undefined && inWords.test(Buffer.from(bytes, 'hex').toString('latin1')))) return true
  return (raw.match(BASE64) ?? []).some((text) => Buffer.from(text, 'base64').toString('hex').includes(digits))
}
