/** The solvers of the local stack. They compete: each has another spread and another inventory. */
import type { ChainId } from '@tandem/protocol/chain-id.ts'

export type LocalSolver = {
  readonly id: string
  readonly spreadBips: number
  /** Of the balances that a local family gives to a solver. */
  readonly inventoryPercent: bigint
  /** It serves the first ones of the list: each needs memory, and time to start. */
  readonly mostChains: number
}

/** The first one runs alone where one is enough. */
const ALL: readonly LocalSolver[] = [
  { id: 'local-solver', spreadBips: 30, inventoryPercent: 100n, mostChains: Number.POSITIVE_INFINITY },
  { id: 'cheap-solver', spreadBips: 20, inventoryPercent: 1n, mostChains: 4 },
  { id: 'large-solver', spreadBips: 40, inventoryPercent: 200n, mostChains: Number.POSITIVE_INFINITY },
]

export type SolverCount = 1 | 2 | 3

export function localSolvers(count: SolverCount): readonly LocalSolver[] {
  return ALL.slice(0, count)
}

export function servedBy({ mostChains }: LocalSolver, chains: readonly ChainId[]): readonly ChainId[] {
  return chains.slice(0, mostChains)
}
