// Merkle roots over transaction hashes.
import { concatBytes } from '@noble/hashes/utils.js'
import { equalBytes } from '../wire/byte-writer.ts'
import { hash256 } from '../wire/hashes.ts'

export type MerkleRoot = {
  readonly root: Uint8Array
  /** Two equal neighbours: the same root would fit a list with a repeated tail (CVE-2012-2459). */
  readonly mutated: boolean
}

export function merkleRoot(leaves: readonly Uint8Array[]): MerkleRoot {
  let level = [...leaves]
  let mutated = false
  while (level.length > 1) {
    const next: Uint8Array[] = []
    for (let i = 0; i < level.length; i += 2) {
      const left = level[i] ?? new Uint8Array(32)
      const right = level[i + 1]
      if (right !== undefined && equalBytes(left, right)) mutated = true
      next.push(hash256(concatBytes(left, right ?? left)))
    }
    level = next
  }
  return { root: level[0] ?? new Uint8Array(32), mutated }
}
