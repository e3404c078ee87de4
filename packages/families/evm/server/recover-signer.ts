/** Recovers the signer of a digest as the contract does: see `Signatures.sol`. */
import { type Hex, hexToBigInt, numberToHex, recoverAddress, size, slice } from 'viem'

/** By EIP-2, an s above this is the malleable twin of a canonical signature. */
const HALF_CURVE_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** The address is in lower case. Null means that the contract recovers none. */
export async function recoverSigner(digest: Hex, signature: Hex): Promise<string | null> {
  const parts = ecdsaParts(signature)
  if (parts === null || hexToBigInt(parts.s) > HALF_CURVE_ORDER) return null
  try {
    return (await recoverAddress({ hash: digest, signature: parts })).toLowerCase()
  } catch {
    return null
  }
}

function ecdsaParts(signature: Hex): { r: Hex; s: Hex; yParity: number } | null {
  const r = slice(signature, 0, Math.min(32, size(signature)))
  if (size(signature) === 65) {
    const v = Number(hexToBigInt(slice(signature, 64)))
    const yParity = v >= 27 ? v - 27 : v
    return yParity > 1 ? null : { r, s: slice(signature, 32, 64), yParity }
  }
  if (size(signature) !== 64) return null
  // EIP-2098: the top bit of the second word is the parity, the rest is s.
  const parityAndS = hexToBigInt(slice(signature, 32))
  const s = parityAndS & ((1n << 255n) - 1n)
  return { r, s: numberToHex(s, { size: 32 }), yParity: Number(parityAndS >> 255n) }
}
