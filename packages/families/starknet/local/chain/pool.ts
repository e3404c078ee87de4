// Keeps the mempool by the rules of Starknet's sequencer: one transaction per account and nonce, gaps wait, a replacement pays more.
import type { GasPrices } from '../execution/gas.ts'
import type { WireTransaction } from '../transactions/wire-transaction.ts'

export interface Pool {
  has(hash: bigint): boolean
  find(hash: bigint): WireTransaction | undefined
  at(sender: bigint, nonce: bigint): WireTransaction | undefined
  deploys(sender: bigint): boolean
  put(transaction: WireTransaction): void
  remove(hash: bigint): boolean
  next(prices: GasPrices, nonceOf: (sender: bigint) => bigint): WireTransaction | undefined
  removeUsed(nonceOf: (sender: bigint) => bigint): void
  all(): readonly WireTransaction[]
}

/** Both the tip and the price of L2 gas must rise by this percentage. */
const REPLACEMENT_INCREASE = 10n

export function replaces(incoming: WireTransaction, existing: WireTransaction): boolean {
  const enough = (before: bigint, after: bigint) => after >= before + (before * REPLACEMENT_INCREASE) / 100n
  return enough(existing.tip, incoming.tip) && enough(existing.bounds.l2Gas.maxPrice, incoming.bounds.l2Gas.maxPrice)
}

function pays({ bounds }: WireTransaction, prices: GasPrices): boolean {
  return (['l1Gas', 'l1DataGas', 'l2Gas'] as const).every((resource) => bounds[resource].maxPrice >= prices[resource])
}

export function createPool(): Pool {
  const transactions = new Map<bigint, WireTransaction>()
  const at = (sender: bigint, nonce: bigint) => [...transactions.values()].find((other) => other.sender === sender && other.nonce === nonce)

  return {
    has: (hash) => transactions.has(hash),
    find: (hash) => transactions.get(hash),
    at,
    deploys: (sender) => at(sender, 0n)?.type === 'DEPLOY_ACCOUNT',
    put(transaction) {
      const existing = at(transaction.sender, transaction.nonce)
      if (existing !== undefined) transactions.delete(existing.hash)
      transactions.set(transaction.hash, transaction)
    },
    remove: (hash) => transactions.delete(hash),
    next(prices, nonceOf) {
      let best: WireTransaction | undefined
      for (const transaction of transactions.values()) {
        if (transaction.nonce !== nonceOf(transaction.sender) || !pays(transaction, prices)) continue
        if (best === undefined || transaction.tip > best.tip) best = transaction
      }
      return best
    },
    removeUsed(nonceOf) {
      for (const { hash, sender, nonce } of transactions.values()) if (nonce < nonceOf(sender)) transactions.delete(hash)
    },
    all: () => [...transactions.values()],
  }
}
