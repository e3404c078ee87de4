// Taproot outputs with a tree of leaves for tests: output script and control blocks.
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { bytesToNumber } from '../script/signature-encoding.ts'
import { taggedHash } from '../wire/hashes.ts'
import { fromHex } from '../wire/hex.ts'
import { leafHashOf, script } from './spend.ts'

/** BIP341: a point whose discrete logarithm nobody knows. */
const NUMS = fromHex('50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0')

export type TaprootOutput = {
  readonly script: Uint8Array
  readonly merkleRoot: Uint8Array
  /** Tweak of the internal key. */
  readonly tweak: Uint8Array
  controlBlock(leafIndex: number): Uint8Array
}

export type Leaf = { readonly script: Uint8Array; readonly version?: number }

function branch(a: Uint8Array, b: Uint8Array): Uint8Array {
  return Buffer.compare(a, b) < 0 ? taggedHash('TapBranch', a, b) : taggedHash('TapBranch', b, a)
}

/** A chain-shaped tree: the first leaf at depth one, the last two deepest. */
export function taprootOutput(leaves: readonly Leaf[], internalKey = NUMS): TaprootOutput {
  const hashes = leaves.map((leaf) => leafHashOf(leaf.script, leaf.version))
  // rests[i] is the root over the leaves from i on.
  const rests = [...hashes]
  for (let i = hashes.length - 2; i >= 0; i--) {
    const own = hashes[i]
    const rest = rests[i + 1]
    if (own !== undefined && rest !== undefined) rests[i] = branch(own, rest)
  }
  const merkleRoot = rests[0] ?? new Uint8Array(0)
  const tweak = taggedHash('TapTweak', internalKey, merkleRoot)
  const output = schnorr.utils.lift_x(bytesToNumber(internalKey)).add(secp256k1.Point.BASE.multiply(bytesToNumber(tweak)))
  const outputBytes = output.toBytes(true)
  const parity = (outputBytes[0] ?? 0) & 1
  return {
    script: script('OP_1', outputBytes.subarray(1)),
    merkleRoot,
    tweak,
    controlBlock(leafIndex) {
      const path = [...hashes.slice(0, leafIndex).reverse()]
      const below = rests[leafIndex + 1]
      const siblings = below === undefined ? path : [below, ...path]
      return concatBytes(Uint8Array.of((leaves[leafIndex]?.version ?? 0xc0) | parity), internalKey, ...siblings)
    },
  }
}
