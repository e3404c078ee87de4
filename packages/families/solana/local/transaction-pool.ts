// Keeps transactions that wait for a block. A leader first includes those that pay most per compute unit.
import { requestedBudget } from './compute-budget.ts'
import type { WireTransaction } from './wire-transaction.ts'

export interface TransactionPool {
  has(signature: string): boolean
  add(wire: WireTransaction): void
  /** Removes and returns the transactions that offer at least this price: best price first, then in the order of arrival. */
  take(minUnitPrice: bigint): readonly WireTransaction[]
  removeWhere(isGone: (wire: WireTransaction) => boolean): void
  hasAt(minUnitPrice: bigint): boolean
}

export function createTransactionPool(): TransactionPool {
  const pool = new Map<string, { readonly wire: WireTransaction; readonly unitPrice: bigint }>()
  return {
    has: (signature) => pool.has(signature),
    add(wire) {
      if (!pool.has(wire.signature)) pool.set(wire.signature, { wire, unitPrice: requestedBudget(wire.message).unitPrice })
    },
    take(minUnitPrice) {
      const taken = [...pool.values()].filter(({ unitPrice }) => unitPrice >= minUnitPrice)
      for (const { wire } of taken) pool.delete(wire.signature)
      return taken.sort((a, b) => Number(b.unitPrice > a.unitPrice) - Number(b.unitPrice < a.unitPrice)).map(({ wire }) => wire)
    },
    removeWhere(isGone) {
      for (const { wire } of pool.values()) if (isGone(wire)) pool.delete(wire.signature)
    },
    hasAt: (minUnitPrice) => [...pool.values()].some(({ unitPrice }) => unitPrice >= minUnitPrice),
  }
}
