/** The watched swaps of one chain. There may be millions, so they are not in memory: a client asks which of the ids it has seen are watched. */
import type { HtlcTerms, SwapId } from '@tandem/protocol/htlc.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'

export type WatchedSwap = {
  readonly swapId: SwapId
  readonly terms: HtlcTerms
}

export type ActiveSwap = WatchedSwap & {
  /** Ids of its known deposits. */
  readonly deposits: readonly string[]
}

/** What a block, some logs or the mempool show. */
export type SeenIds = {
  readonly swapIds: Iterable<SwapId>
  /** Ids of deposits that are spent. */
  readonly spent: Iterable<string>
}

/** The answer for the ids that were asked. */
export interface FoundSwaps {
  bySwapId(swapId: SwapId): WatchedSwap | undefined
  /** The swap whose known deposit this is. */
  byDeposit(deposit: string): WatchedSwap | undefined
}

export type ActivePage = {
  readonly swaps: readonly ActiveSwap[]
  /** Where the next page begins; null if there are no more. */
  readonly next: string | null
}

export interface WatchedSwaps {
  /** Nothing is watched: the chain need not be read. */
  readonly isEmpty: boolean
  /** Ask for all ids of a block at once: that is at most one query. */
  find(seen: SeenIds): Promise<FoundSwaps>
  /** All open swaps: for nodes that can be queried for one address at a time only. `from`: `next` of the page before. */
  active(limit: number, from: string | null): Promise<ActivePage>
  /** Open swaps, newest first. */
  newest(limit: number): Promise<readonly ActiveSwap[]>
  /** The same of funded orders: those for which somebody has paid, unlike the others, which strangers can make for nothing. */
  funded(limit: number): Promise<readonly ActiveSwap[]>
  /** Open swaps with these secret hashes: for chains that do not know swap ids. */
  bySecretHash(hashes: readonly Hex32[]): Promise<readonly WatchedSwap[]>
  /** One party of each open swap, the solver's side: they are few, however many orders strangers leave unfunded. Some may have no open swap any more. */
  solverParties(): Promise<readonly string[]>
}
