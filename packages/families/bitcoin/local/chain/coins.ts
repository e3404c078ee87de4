// The UTXO set, and a view on top of it whose changes are applied atomically.
import { isUnspendable } from '../script/standard-scripts.ts'
import { isCoinbase, outpointKey, type Transaction, type TransactionOutput } from '../transaction/transaction.ts'

export type Coin = TransactionOutput & { readonly height: number; readonly coinbase: boolean }

export type CoinReader = { get(key: string): Coin | undefined }

export type CoinView = CoinReader & {
  /** Removes and returns the spent coins in input order, or null when one is missing. */
  spend(transaction: Transaction): Coin[] | null
  /** False when it would overwrite an unspent coin (BIP30). */
  add(transaction: Transaction, height: number): boolean
  apply(): void
}

export function createCoinView(coins: Map<string, Coin>): CoinView {
  const changes = new Map<string, Coin | null>()

  function get(key: string): Coin | undefined {
    const change = changes.get(key)
    return change === undefined ? coins.get(key) : (change ?? undefined)
  }

  return {
    get,
    spend(transaction) {
      const spent: Coin[] = []
      for (const input of transaction.inputs) {
        const key = outpointKey(input.txid, input.index)
        const coin = get(key)
        if (coin === undefined) return null
        changes.set(key, null)
        spent.push(coin)
      }
      return spent
    },
    add(transaction, height) {
      const coinbase = isCoinbase(transaction)
      return transaction.outputs.every((output, index) => {
        const key = outpointKey(transaction.txid, index)
        if (isUnspendable(output.script)) return true
        if (get(key) !== undefined) return false
        changes.set(key, { ...output, height, coinbase })
        return true
      })
    },
    apply() {
      for (const [key, coin] of changes) {
        if (coin === null) coins.delete(key)
        else coins.set(key, coin)
      }
    },
  }
}
