// Checks the encoding of ECDSA signatures and public keys: BIP66 (strict DER), BIP62/BIP146 (low S), SEC1 keys.
import { ScriptFailure } from './script-failure.ts'
import type { ScriptFlags } from './script-flags.ts'

export type SignatureVersion = 'base' | 'witness-v0' | 'taproot' | 'tapscript'

const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

type DerSignature = { readonly r: Uint8Array; readonly s: Uint8Array }

/** BIP66: the form is 0x30 [total] 0x02 [R length] [R] 0x02 [S length] [S] [hash type], with no padding and nothing negative. */
export function parseStrictDer(signature: Uint8Array): DerSignature | null {
  const at = (index: number) => signature[index] ?? 0
  const size = signature.length
  if (size < 9 || size > 73 || at(0) !== 0x30 || at(1) !== size - 3) return null
  const lengthR = at(3)
  if (5 + lengthR >= size) return null
  const lengthS = at(5 + lengthR)
  if (lengthR + lengthS + 7 !== size) return null
  const integers = [
    { marker: 2, start: 4, length: lengthR },
    { marker: 4 + lengthR, start: 6 + lengthR, length: lengthS },
  ]
  for (const { marker, start, length } of integers) {
    if (at(marker) !== 0x02 || length === 0 || (at(start) & 0x80) !== 0) return null
    if (length > 1 && at(start) === 0 && (at(start + 1) & 0x80) === 0) return null
  }
  return { r: signature.subarray(4, 4 + lengthR), s: signature.subarray(6 + lengthR, 6 + lengthR + lengthS) }
}

export function bytesToNumber(bytes: Uint8Array): bigint {
  let value = 0n
  for (const byte of bytes) value = (value << 8n) | BigInt(byte)
  return value
}

export function checkSignatureEncoding(signature: Uint8Array, flags: ScriptFlags): void {
  if (signature.length === 0) return
  const der = parseStrictDer(signature)
  if ((flags.DERSIG || flags.LOW_S || flags.STRICTENC) && der === null) throw new ScriptFailure('SIG_DER')
  if (flags.LOW_S && der !== null && bytesToNumber(der.s) > HALF_ORDER) throw new ScriptFailure('SIG_HIGH_S')
  if (flags.STRICTENC) {
    const base = (signature.at(-1) ?? 0) & ~0x80
    if (base < 1 || base > 3) throw new ScriptFailure('SIG_HASHTYPE')
  }
}

function isCompressedKey(key: Uint8Array): boolean {
  return key.length === 33 && (key[0] === 2 || key[0] === 3)
}

export function isPlainKey(key: Uint8Array): boolean {
  return isCompressedKey(key) || (key.length === 65 && key[0] === 4)
}

export function checkPublicKeyEncoding(key: Uint8Array, flags: ScriptFlags, version: SignatureVersion): void {
  if (flags.STRICTENC && !isPlainKey(key)) throw new ScriptFailure('PUBKEYTYPE')
  if (flags.WITNESS_PUBKEYTYPE && version === 'witness-v0' && !isCompressedKey(key)) throw new ScriptFailure('WITNESS_PUBKEYTYPE')
}
