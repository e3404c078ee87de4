// Checks the transaction rules that do not need the coins it spends.
import { isCoinbase, NULL_INDEX, NULL_TXID, outpointKey, type Transaction } from './transaction.ts'

const MAX_BLOCK_WEIGHT = 4_000_000

/** The reason is in Bitcoin Core's words; null means accepted. */
export type Refusal = string | null

export function checkTransaction(transaction: Transaction, maxMoneySats: bigint): Refusal {
  const { inputs, outputs } = transaction
  if (inputs.length === 0) return 'bad-txns-vin-empty'
  if (outputs.length === 0) return 'bad-txns-vout-empty'
  if (transaction.strippedSize * 4 > MAX_BLOCK_WEIGHT) return 'bad-txns-oversize'
  let total = 0n
  for (const { amount } of outputs) {
    if (amount < 0n) return 'bad-txns-vout-negative'
    if (amount > maxMoneySats) return 'bad-txns-vout-toolarge'
    total += amount
    if (total > maxMoneySats) return 'bad-txns-txouttotal-toolarge'
  }
  const outpoints = new Set(inputs.map((input) => outpointKey(input.txid, input.index)))
  if (outpoints.size !== inputs.length) return 'bad-txns-inputs-duplicate'
  if (isCoinbase(transaction)) {
    const length = inputs[0]?.scriptSig.length ?? 0
    return length < 2 || length > 100 ? 'bad-cb-length' : null
  }
  return inputs.some((input) => input.txid === NULL_TXID && input.index === NULL_INDEX) ? 'bad-txns-prevout-null' : null
}

const LOCKTIME_THRESHOLD = 500_000_000
const SEQUENCE_FINAL = 0xffffffff
const SEQUENCE_DISABLE_FLAG = 0x80000000
const SEQUENCE_TYPE_FLAG = 1 << 22
const SEQUENCE_MASK = 0xffff
const SEQUENCE_GRANULARITY_BITS = 9

/** The median time is that of the eleven blocks before the one that a transaction would enter. */
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
