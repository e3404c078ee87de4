// A test spend of one output, unlocked by a witness, a scriptSig or both.
import type { Transaction } from '../transaction/transaction.ts'
import { type SpendPlan, unlock, unsigned } from './spend.ts'
import type { SpendCase, Verdict } from './spend-case.ts'
import type { FundedCoin } from './test-chain.ts'

const EMPTY = new Uint8Array(0)

type Unlocking = { witness?: readonly Uint8Array[]; scriptSig?: Uint8Array }

export function spendCase(
  name: string,
  outputScript: Uint8Array,
  verdict: Verdict,
  reason: string | null,
  unlocking: (transaction: Transaction, coins: readonly FundedCoin[]) => Unlocking,
  plan: Omit<SpendPlan, 'coins'> = {},
): SpendCase {
  return {
    name,
    scripts: [outputScript],
    verdict,
    ...(reason === null ? {} : { reason }),
    spend(coins) {
      const transaction = unsigned({ coins, ...plan })
      const { witness = [], scriptSig = EMPTY } = unlocking(transaction, coins)
      return unlock(transaction, 0, witness, scriptSig)
    },
  }
}
