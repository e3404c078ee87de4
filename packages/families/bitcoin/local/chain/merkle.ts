// Computes merkle roots over transaction hashes.
import { concatBytes } from '@noble/hashes/utils.js'
import { equalBytes, hash256 } from '../wire/bytes.ts'

export type MerkleRoot = {
  readonly root: Uint8Array
  /** Two neighbours are equal, so the same root would fit a list with a repeated tail (CVE-2012-2459). */
  readonly mutated: boolean
}

export function merkleRoot(leaves: readonly Uint8Array[]): MerkleRoot {
  let level = leaves
  let mutated = false
  while (level.length > 1) {
    mutated ||= level.some((left, i) => i % 2 === 0 && equalBytes(left, level[i + 1] ?? new Uint8Array()))
    level = parentsOf(level)
  }
  return { root: level[0] ?? new Uint8Array(32), mutated }
}

export function merkleBranch(leaves: readonly Uint8Array[], position: number): readonly Uint8Array[] {
  const branch: Uint8Array[] = []
  let level = leaves
  for (let at = position; level.length > 1; at = Math.floor(at / 2)) {
    const neighbour = level[at % 2 === 1 ? at - 1 : at + 1] ?? level[at]
    if (neighbour !== undefined) branch.push(neighbour)
    level = parentsOf(level)
  }
  return branch
}

/** The last of an odd number is paired with itself. */
function parentsOf(level: readonly Uint8Array[]): readonly Uint8Array[] {
  return level.flatMap((left, i) => (i % 2 === 0 ? [hash256(concatBytes(left, level[i + 1] ?? left))] : []))
}
