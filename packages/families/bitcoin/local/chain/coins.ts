// Keeps the UTXO set, and a view on top of it whose changes are applied atomically.
import type { BitcoinNetwork } from '../network.ts'
import { isUnspendable } from '../script/standard-scripts.ts'
import { isCoinbase, outpointKey, type Transaction, type TransactionOutput } from '../transaction/transaction.ts'

export type Coin = TransactionOutput & { readonly height: number; readonly coinbase: boolean }

export type CoinReader = { get(key: string): Coin | undefined }

export type CoinView = CoinReader & {
  spend(transaction: Transaction): Coin[] | null
  /** The result is false when the transaction would overwrite an unspent coin (BIP30). */
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

export type InputsVerdict = { readonly feeSats: bigint; readonly refusal: null } | { readonly refusal: string }

type AmountRules = Pick<BitcoinNetwork, 'coinbaseMaturity' | 'maxMoneySats'>

export function checkInputs(transaction: Transaction, spent: readonly Coin[], height: number, rules: AmountRules): InputsVerdict {
  let input = 0n
  for (const coin of spent) {
    if (coin.coinbase && height - coin.height < rules.coinbaseMaturity) return { refusal: 'bad-txns-premature-spend-of-coinbase' }
    input += coin.amount
    if (input > rules.maxMoneySats) return { refusal: 'bad-txns-inputvalues-outofrange' }
  }
  const feeSats = input - transaction.outputs.reduce((sum, { amount }) => sum + amount, 0n)
  return feeSats < 0n ? { refusal: 'bad-txns-in-belowout' } : { feeSats, refusal: null }
}
