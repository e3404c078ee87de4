// Hands a transaction to the node, as both interfaces do, or drops it when a fault says so.
import type { FaultState } from './http/faults.ts'
import type { Evaluation } from './mempool/evaluate-transaction.ts'
import type { BitcoinNode } from './node.ts'
import type { Transaction } from './transaction/transaction.ts'

export function broadcast(
  node: BitcoinNode,
  faults: FaultState,
  transaction: Transaction,
  check?: (evaluation: Evaluation) => void,
): string | null {
  if (node.mempool.get(transaction.txid) !== undefined) return null
  const evaluation = node.evaluate(transaction)
  check?.(evaluation)
  if (evaluation.refusal !== null || faults.takeDrop()) return evaluation.refusal
  return node.submit(transaction).refusal
}
