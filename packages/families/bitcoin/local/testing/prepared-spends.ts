// Funds cases on a test chain, lets the coins age, and builds the spends.
import type { Transaction } from '../transaction/transaction.ts'
import type { ContractCase } from './contract-cases.ts'
import { COIN_AMOUNT, type SpendCase } from './spend.ts'
import type { FundedCoin, TestChain } from './test-chain.ts'

export type PreparedSpend = { readonly spendCase: SpendCase; readonly transaction: Transaction }

const AGE_BLOCKS = 20

export function prepareSpends(chain: TestChain, cases: readonly SpendCase[]): PreparedSpend[] {
  const fundedCases = fund(chain, cases)
  chain.mine(AGE_BLOCKS)
  return fundedCases.map(({ spendCase, coins }) => ({ spendCase, transaction: spendCase.spend(coins) }))
}

/**
 * Yields the cases by the age of their coins, when the coins have that age: take the next ones only when done with the previous ones.
 * Cases that no block accepts come first, because each accepted one mines a block and ages the others.
 */
export function* prepareAtAges(chain: TestChain, cases: readonly ContractCase[]): Generator<readonly PreparedSpend[]> {
  for (const age of new Set(cases.map((each) => each.age))) {
    const ofThisAge = cases.filter((each) => each.age === age)
    const fundedCases = fund(chain, ofThisAge)
    chain.mine(age - 1)
    const isRefused = ({ spendCase }: { spendCase: SpendCase }) => spendCase.verdict === 'invalid'
    const ordered = [...fundedCases.filter(isRefused), ...fundedCases.filter((each) => !isRefused(each))]
    yield ordered.map(({ spendCase, coins }) => ({ spendCase, transaction: spendCase.spend(coins) }))
  }
}

function fund<Case extends SpendCase>(chain: TestChain, cases: readonly Case[]): { spendCase: Case; coins: readonly FundedCoin[] }[] {
  const coins = chain.fund(
    cases.flatMap((spendCase) => spendCase.scripts),
    COIN_AMOUNT,
  )
  let next = 0
  return cases.map((spendCase) => {
    const own = coins.slice(next, next + spendCase.scripts.length)
    next += spendCase.scripts.length
    return { spendCase, coins: own }
  })
}
