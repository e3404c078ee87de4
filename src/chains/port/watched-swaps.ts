/** What is watched on one chain, kept by whoever watches: a look costs what the block costs, however many are watched. */
import type { HtlcTerms, SwapId } from '../../protocol/htlc.ts'

export type WatchedSwap = {
  readonly swapId: SwapId
  readonly terms: HtlcTerms
}

export interface WatchedSwaps {
  readonly size: number
  bySwapId(swapId: SwapId): WatchedSwap | undefined
  /** By the id of a deposit known so far, whose spend must be noticed. */
  byDeposit(deposit: string): WatchedSwap | undefined
  /** Those in which something is expected now, with the deposits known so far: for nodes that can only be asked about one address at a time. */
  active(): Iterable<WatchedSwap & { readonly deposits: readonly string[] }>
}
