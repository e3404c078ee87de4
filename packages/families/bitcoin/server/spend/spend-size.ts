/** Computes the sizes of transactions that spend deposits by script path. */
import { divideRoundingUp } from '@tandem/protocol/amount.ts'
import type { Leaf } from '../../terms/htlc.ts'
import { estimateVsize } from '../../terms/script/weight.ts'
import type { LeafInput } from '../../terms/wallet/sign.ts'

/** Nodes do not relay a transaction above 100 kvB. A hundred inputs stay far below, and more inputs would save hardly anything. */
export const MAX_SPENT_AT_ONCE = 100

const SIGNATURE_BYTES = 64

type Way = Pick<LeafInput, 'leaf' | 'items'>

export function spendVsize(inputs: readonly Way[], outputScript: Uint8Array): bigint {
  return estimateVsize(inputs.map(witnessLengths), [outputScript])
}

export function witnessLengths({ leaf, items }: Way): readonly number[] {
  return [SIGNATURE_BYTES, ...items.map((item) => item.length), leaf.script.length, leaf.controlBlock.length]
}

export function inputVsize(input: Way): bigint {
  const none = new Uint8Array(0)
  // Four more inputs add whole virtual bytes, so the rounding of the base does not matter.
  const weight = spendVsize([input, input, input, input, input], none) - spendVsize([input], none)
  return divideRoundingUp(weight, 4n)
}

/** The size is the same for all terms. */
export function redeemVsize(leaf: Leaf, deposits: number, outputScript: Uint8Array): bigint {
  return spendVsize(
    Array.from({ length: deposits }, () => ({ leaf, items: [new Uint8Array(32)] })),
    outputScript,
  )
}
