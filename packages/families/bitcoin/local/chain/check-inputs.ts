// Rules about the coins a transaction spends: maturity, amounts, fee.
import type { BitcoinNetwork } from '../network.ts'
import type { Transaction } from '../transaction/transaction.ts'
import type { Coin } from './coins.ts'

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
