// Keeps the open ledger: transactions that this node has applied to the newest ledger, and which the next one will contain.
import type { Metadata } from '../ledger/metadata.ts'
import { createView, type Reader, type View } from '../ledger/view.ts'
import { applyTransaction, type Outcome } from '../transactions/apply.ts'
import type { SignedTransaction } from '../transactions/signed-transaction.ts'
import type { Rules } from '../transactions/transactor.ts'

export type OpenTransaction = { readonly transaction: SignedTransaction; readonly meta: Metadata }

export interface OpenLedger {
  readonly rules: Rules
  readonly view: View
  readonly transactions: readonly OpenTransaction[]
  has(hash: string): boolean
  /** A preview changes nothing. It gives the result after other transactions. */
  preview(transaction: SignedTransaction, after: readonly SignedTransaction[]): Outcome
  apply(transaction: SignedTransaction): Outcome
}

export function createOpenLedger(state: Reader, rules: Rules): OpenLedger {
  const view = createView(state)
  const transactions: OpenTransaction[] = []
  return {
    rules,
    view,
    transactions,
    has: (hash) => transactions.some(({ transaction }) => transaction.hash === hash),
    preview(transaction, after) {
      const ahead = createView(view)
      for (const earlier of after) {
        const outcome = applyTransaction(ahead, rules, earlier)
        if (outcome.isApplied) ahead.merge(outcome.changes)
      }
      return applyTransaction(ahead, rules, transaction)
    },
    apply(transaction) {
      const outcome = applyTransaction(view, rules, transaction)
      if (!outcome.isApplied) return outcome
      view.merge(outcome.changes)
      const { nodes: AffectedNodes, result: TransactionResult } = outcome
      transactions.push({ transaction, meta: { AffectedNodes, TransactionIndex: transactions.length, TransactionResult } })
      return outcome
    },
  }
}
