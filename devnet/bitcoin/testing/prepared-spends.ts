// Funds all cases on a test chain, lets the coins age past the short timelocks, and builds the spends.
import type { Transaction } from '../transaction/transaction.ts'
import { COIN_AMOUNT, type SpendCase } from './spend-case.ts'
import type { TestChain } from './test-chain.ts'

export type PreparedSpend = { readonly spendCase: SpendCase; readonly transaction: Transaction }

/** More than the twelve blocks the contracts of the cases wait. */
const AGE_BLOCKS = 20

export function prepareSpends(chain: TestChain, cases: readonly SpendCase[]): PreparedSpend[] {
  const coins = chain.fund(
    cases.flatMap((spendCase) => spendCase.scripts),
    COIN_AMOUNT,
  )
  chain.mine(AGE_BLOCKS)
  let next = 0
  return cases.map((spendCase) => {
    const own = coins.slice(next, next + spendCase.scripts.length)
    next += spendCase.scripts.length
    return { spendCase, transaction: spendCase.spend(own) }
  })
}
