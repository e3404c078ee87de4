/** Estimates the size of a transaction before it is signed. */

/** The bytes are nVersion, nLockTime, and one byte each for the counts of inputs and outputs (fewer than 253). */
const OVERHEAD_BYTES = 4 + 4 + 1 + 1
/** BIP144 adds a marker and a flag. */
const SEGWIT_OVERHEAD_WEIGHT = 2
/** The bytes are outpoint, empty scriptSig, and nSequence. */
const INPUT_BYTES = 36 + 1 + 4

/** P2WPKH has a DER signature of at most 72 bytes (low s, sighash byte included) and a compressed key. */
export const WALLET_WITNESS: readonly number[] = [72, 33]
/** One more such input adds 4 × 41 and 1 + 1 + 72 + 1 + 33 weight units. */
export const WALLET_INPUT_VSIZE = 68n

/** `witnesses` has the length of each witness item, for each input. */
export function estimateVsize(witnesses: readonly (readonly number[])[], outputScripts: readonly Uint8Array[]): bigint {
  const outputBytes = outputScripts.reduce((sum, script) => sum + 8 + 1 + script.length, 0)
  const witnessBytes = witnesses.reduce((sum, items) => sum + 1 + items.reduce((s, length) => s + compactSizeLength(length) + length, 0), 0)
  const base = OVERHEAD_BYTES + INPUT_BYTES * witnesses.length + outputBytes
  return BigInt(Math.ceil((base * 4 + SEGWIT_OVERHEAD_WEIGHT + witnessBytes) / 4))
}

function compactSizeLength(value: number): number {
  return value < 0xfd ? 1 : 3
}
