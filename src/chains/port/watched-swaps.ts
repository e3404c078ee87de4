/** The watched swaps of one chain, looked up by id: the cost of a poll does not grow with their number. */
import type { HtlcTerms, SwapId } from '../../protocol/htlc.ts'

export type WatchedSwap = {
  readonly swapId: SwapId
  readonly terms: HtlcTerms
}

export interface WatchedSwaps {
  readonly size: number
  bySwapId(swapId: SwapId): WatchedSwap | undefined
  /** By the id of a known deposit: finds the swap whose deposit a transaction spends. */
  byDeposit(deposit: string): WatchedSwap | undefined
  /** Open swaps with their known deposits: for nodes that can be queried for one address at a time only. */
  active(): Iterable<WatchedSwap & { readonly deposits: readonly string[] }>
}
