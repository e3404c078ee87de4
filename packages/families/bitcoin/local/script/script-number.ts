// Codes script numbers: they are little-endian, have their sign in the top bit, and have at most 4 bytes as operands (5 for timelocks).
import { ScriptFailure } from './script-failure.ts'

/** Operands have at most 39 bits plus sign, so JavaScript numbers hold them and their sums exactly. */
export function decodeScriptNumber(bytes: Uint8Array, requireMinimal: boolean, maxLength = 4): number {
  if (bytes.length > maxLength) throw new ScriptFailure('SCRIPTNUM')
  const last = bytes.at(-1)
  if (last === undefined) return 0
  // A top byte of only a sign bit is minimal only when the byte below already uses its highest bit.
  if (requireMinimal && (last & 0x7f) === 0 && (bytes.length === 1 || ((bytes.at(-2) ?? 0) & 0x80) === 0))
    throw new ScriptFailure('SCRIPTNUM')
  let magnitude = last & 0x7f
  for (let i = bytes.length - 2; i >= 0; i--) magnitude = magnitude * 256 + (bytes[i] ?? 0)
  return (last & 0x80) !== 0 && magnitude !== 0 ? -magnitude : magnitude
}

export function encodeScriptNumber(value: number): Uint8Array {
  const bytes: number[] = []
  for (let rest = Math.abs(value); rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256)
  const top = bytes.at(-1)
  if (top === undefined) return new Uint8Array(0)
  const sign = value < 0 ? 0x80 : 0
  if (top & 0x80) bytes.push(sign)
  else bytes[bytes.length - 1] = top | sign
  return Uint8Array.from(bytes)
}

export function isTruthy(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] !== 0) return i !== bytes.length - 1 || bytes[i] !== 0x80
  }
  return false
}
