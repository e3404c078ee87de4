// One way to spend outputs, with the verdicts that the mempool and a block must give.
import type { Transaction } from '../transaction/transaction.ts'
import type { FundedCoin } from './test-chain.ts'

export type Verdict = 'standard' | 'non-standard' | 'invalid'

export type SpendCase = {
  readonly name: string
  /** Output scripts to be funded, each with a million satoshis. */
  readonly scripts: readonly Uint8Array[]
  /** standard: the mempool accepts it. non-standard: only a block may contain it. invalid: neither. */
  readonly verdict: Verdict
  /** Part of the reason for the mempool's refusal, where it matters. */
  readonly reason?: string
  spend(coins: readonly FundedCoin[]): Transaction
}

export const COIN_AMOUNT = 1_000_000n
