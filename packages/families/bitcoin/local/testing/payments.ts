// Plain P2WPKH payments for tests of mempool and chain.
import type { Transaction, TransactionOutput } from '../transaction/transaction.ts'
import { keyOf, p2pkhScript, p2wpkhScript, signEcdsa, unlock, unsigned } from './spend.ts'
import type { FundedCoin } from './test-chain.ts'

const owner = keyOf('owner')
export const ownerScript = p2wpkhScript(owner.compressed)
const ownerCode = p2pkhScript(owner.compressed)

export type PaymentOptions = {
  readonly feeSats?: bigint
  readonly outputs?: readonly TransactionOutput[]
  readonly sequence?: number
  readonly version?: number
}

/** Spends the coins of the test owner back to the owner, minus the fee. */
export function payment(coins: readonly FundedCoin[], { feeSats = 1_000n, outputs, ...plan }: PaymentOptions = {}): Transaction {
  const total = coins.reduce((sum, coin) => sum + coin.amount, 0n)
  const transaction = unsigned({ coins, outputs: outputs ?? [{ amount: total - feeSats, script: ownerScript }], ...plan })
  return coins.reduce(
    (signed, _, index) => unlock(signed, index, [signEcdsa(transaction, coins, owner.secret, ownerCode, { index }), owner.compressed]),
    transaction,
  )
}

export function outputOf(transaction: Transaction, index = 0): FundedCoin {
  const output = transaction.outputs[index]
  if (output === undefined) throw new RangeError(`no output ${index}`)
  return { txid: transaction.txid, index, ...output }
}

/** Several outputs of equal amount to the owner. */
export function split(coin: FundedCoin, parts: number, feeSats = 2_000n): Transaction {
  const amount = (coin.amount - feeSats) / BigInt(parts)
  return payment([coin], { outputs: Array.from({ length: parts }, () => ({ amount, script: ownerScript })) })
}
