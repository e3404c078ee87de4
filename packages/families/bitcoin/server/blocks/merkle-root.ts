/** Computes the merkle roots of blocks. */
import { hash } from 'node:crypto'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import type { RawBlock, Walked } from './transaction-walk.ts'

export type MerkleRoot = {
  /** The root is not byte-reversed. */
  readonly root: Uint8Array
  /** Two neighbours are equal, so a shorter list has the same root (CVE-2012-2459). */
  readonly isAmbiguous: boolean
}

/** The root is byte-reversed, as in displayed headers. It is null if a shorter list has the same root. */
export function merkleRootOf({ bytes, walk }: RawBlock): string | null {
  const txids: Uint8Array[] = []
  walk((transaction) => txids.push(txidOf(bytes, transaction)))
  const { root, isAmbiguous } = rootOf(txids)
  return isAmbiguous ? null : displayHash(root)
}

/** BIP144: the id is the hash of version, inputs, outputs and lock time, without witnesses. It is not byte-reversed. */
export function txidOf(bytes: Buffer, { start, bodyStart, bodyEnd, end }: Walked): Uint8Array {
  return sha256d(concatBytes(bytes.subarray(start, start + 4), bytes.subarray(bodyStart, bodyEnd), bytes.subarray(end - 4, end)))
}

export function rootOf(leaves: readonly Uint8Array[]): MerkleRoot {
  let level = leaves
  let isAmbiguous = false
  while (level.length > 1) {
    const next: Uint8Array[] = []
    for (let i = 0; i < level.length; i += 2) {
      const left = level[i] ?? new Uint8Array(32)
      const right = level[i + 1]
      if (right !== undefined && Buffer.compare(left, right) === 0) isAmbiguous = true
      // An odd last leaf is paired with itself.
      next.push(sha256d(concatBytes(left, right ?? left)))
    }
    level = next
  }
  return { root: level[0] ?? new Uint8Array(32), isAmbiguous }
}

export type MerkleBranch = {
  /** The lowest level comes first. The hashes are byte-reversed. */
  readonly neighbours: readonly string[]
  readonly position: number
}

/** Leaf and root are byte-reversed. */
export function rootOfBranch(leaf: string, { neighbours, position }: MerkleBranch): string {
  let at: Uint8Array = hexToBytes(leaf).reverse()
  for (const [level, text] of neighbours.entries()) {
    const neighbour = hexToBytes(text).reverse()
    const isRight = Math.floor(position / 2 ** level) % 2 === 1
    at = sha256d(isRight ? concatBytes(neighbour, at) : concatBytes(at, neighbour))
  }
  return displayHash(at)
}

/** Uses Node's native hash, because a block needs thousands. */
export function sha256d(bytes: Uint8Array): Uint8Array {
  return hash('sha256', hash('sha256', bytes, 'buffer'), 'buffer')
}

export function displayHash(bytes: Uint8Array): string {
  return bytesToHex(bytes.toReversed())
}
