// When a transaction may enter a block: absolute locktime (BIP113) and relative locktimes of its inputs (BIP68).
import type { Transaction } from './transaction.ts'

const LOCKTIME_THRESHOLD = 500_000_000
const SEQUENCE_FINAL = 0xffffffff
const SEQUENCE_DISABLE_FLAG = 0x80000000
const SEQUENCE_TYPE_FLAG = 1 << 22
const SEQUENCE_MASK = 0xffff
const SEQUENCE_GRANULARITY_BITS = 9

/** The block a transaction would enter: its height, and the median time of the eleven blocks before it. */
export type BlockPosition = { readonly height: number; readonly medianTimePast: number }

export function isFinal(transaction: Transaction, position: BlockPosition): boolean {
  const { lockTime, inputs } = transaction
  if (lockTime === 0) return true
  if (lockTime < (lockTime < LOCKTIME_THRESHOLD ? position.height : position.medianTimePast)) return true
  return inputs.every((input) => input.sequence === SEQUENCE_FINAL)
}

/**
 * BIP68. `coinHeights` are the heights of the spent coins in input order (mempool coins count as the next block);
 * `medianTimeAt` gives the median time past of an active block.
 */
export function sequenceLocksMet(
  transaction: Transaction,
  coinHeights: readonly number[],
  position: BlockPosition,
  medianTimeAt: (height: number) => number,
): boolean {
  if (transaction.version < 2) return true
  return transaction.inputs.every(({ sequence }, i) => {
    if (sequence >= SEQUENCE_DISABLE_FLAG) return true
    const coinHeight = coinHeights[i] ?? position.height
    const value = sequence & SEQUENCE_MASK
    if ((sequence & SEQUENCE_TYPE_FLAG) === 0) return coinHeight + value <= position.height
    const start = medianTimeAt(Math.max(coinHeight - 1, 0))
    return start + (value << SEQUENCE_GRANULARITY_BITS) <= position.medianTimePast
  })
}
