/** The watched swaps of one chain. There may be millions, so they are not in memory: a client asks which of the ids it has seen are watched. */
import type { HtlcTerms, SwapId } from '@tandem/protocol/htlc.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'

export type WatchedSwap = {
  readonly swapId: SwapId
  readonly terms: HtlcTerms
}

export type ActiveSwap = WatchedSwap & {
  readonly deposits: readonly string[]
}

export type SeenIds = {
  readonly swapIds: Iterable<SwapId>
  readonly spent: Iterable<string>
}

export interface FoundSwaps {
  bySwapId(swapId: SwapId): WatchedSwap | undefined
  byDeposit(deposit: string): WatchedSwap | undefined
}

export type ActivePage = {
  readonly swaps: readonly ActiveSwap[]
  readonly next: string | null
}

export interface WatchedSwaps {
  readonly isEmpty: boolean
  find(seen: SeenIds): Promise<FoundSwaps>
  /** Some nodes answer for one address at a time only, so this lists all open swaps. `from` is `next` of the page before. */
  active(limit: number, from: string | null): Promise<ActivePage>
  /** The newest comes first. */
  newest(limit: number): Promise<readonly ActiveSwap[]>
  /** Somebody has paid for the orders of these open swaps, newest first, while strangers can make others for nothing. */
  funded(limit: number): Promise<readonly ActiveSwap[]>
  /** Some chains do not know swap ids, so open swaps are found by secret hash. */
  bySecretHash(hashes: readonly Hex32[]): Promise<readonly WatchedSwap[]>
  /** Every open swap has one of these parties. They are few, however many orders strangers leave unfunded. Some may have no open swap. */
  solverParties(): Promise<readonly string[]>
}
