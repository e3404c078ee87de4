// Transaction rules that do not need the coins it spends.
import { isCoinbase, NULL_INDEX, NULL_TXID, outpointKey, type Transaction } from './transaction.ts'

const MAX_BLOCK_WEIGHT = 4_000_000

/** The reason Bitcoin Core gives for a refusal, or null. */
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
