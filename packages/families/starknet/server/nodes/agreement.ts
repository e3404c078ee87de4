/** How the answers of several providers about transactions become one. */
import type { Rule } from '@tandem/chain-kit/providers/quorum.ts'
import { byDecision, kthNumber, settledKthNumber } from '@tandem/chain-kit/providers/rules.ts'
import type { FeeEstimate, Outcome } from './node.ts'

/**
 * A quorum must say that it is in a block, with the same result, or that it was rejected. Mempools differ, so otherwise it is pending if a quorum knows it in any
 * way, and else unknown: to send it again does no harm.
 */
export const minedByQuorum: Rule<Outcome | null> = byDecision((size) => {
  const told = (outcomes: readonly (Outcome | null)[], kind: Outcome['kind']) => outcomes.filter((one) => one?.kind === kind)
  return {
    decide(outcomes) {
      const agreed = (['succeeded', 'reverted', 'rejected', 'pending'] as const).map((kind) => told(outcomes, kind))
      const [first] = agreed.find((alike) => alike.length >= size) ?? []
      return first ?? (outcomes.filter((one) => one === null).length >= size ? null : undefined)
    },
    otherwise(outcomes) {
      const known = outcomes.length - outcomes.filter((one) => one === null).length - told(outcomes, 'rejected').length
      return known >= size ? { kind: 'pending' } : null
    },
  }
})

/**
 * For each amount and price as `movingNumber('up')`: at least the lowest honest answer. They are bounds: what is not used is not paid, and the caller
 * has caps.
 */
export const highestEstimate: Rule<FeeEstimate> = byDecision((size) => ({
  decide(estimates) {
    const isSettled = numbers.every((number) => settledKthNumber(estimates.map(number), size, 'up') !== undefined)
    return isSettled ? combine(estimates, size) : undefined
  },
  otherwise: (estimates) => combine(estimates, size),
}))

const kinds = ['l1Gas', 'l1DataGas', 'l2Gas'] as const
const numbers: readonly ((estimate: FeeEstimate) => bigint)[] = [
  ...kinds.map((kind) => (estimate: FeeEstimate) => estimate.gas[kind]),
  ...kinds.map((kind) => (estimate: FeeEstimate) => estimate.prices[kind]),
  ({ fee }) => fee,
]

function combine(estimates: readonly FeeEstimate[], size: number): FeeEstimate {
  const of = (number: (estimate: FeeEstimate) => bigint) => kthNumber(estimates.map(number), size, 'up') ?? 0n
  const ofEach = (part: 'gas' | 'prices') => ({
    l1Gas: of((estimate) => estimate[part].l1Gas),
    l1DataGas: of((estimate) => estimate[part].l1DataGas),
    l2Gas: of((estimate) => estimate[part].l2Gas),
  })
  return { gas: ofEach('gas'), prices: ofEach('prices'), fee: of(({ fee }) => fee) }
}
