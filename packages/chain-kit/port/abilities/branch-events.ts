/** Nodes return the events of a block by its hash. Absent: by height alone, so that the caller must read headers afterwards. */
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { WatchedSwaps } from '../watched-swaps.ts'

/**
 * As `events`, in blocks [from, end.height] of the branch that ends in `end`, for fewer requests. Rejects when the node is on another branch.
 * Events of a single block are those of its hash. After a range the caller checks that `end` and the blocks of the events are
 * canonical. May repeat events of recent blocks below `from`, and add some that the node did not have earlier.
 * `heights`: of the headers that the caller needs for that check. They are asked for with the events, in one batch where the node supports it.
 */
export type BranchEvents = (watched: WatchedSwaps, from: bigint, end: Block, heights: readonly bigint[]) => Promise<BranchRead>

export type BranchRead = {
  readonly events: readonly HtlcEvent[]
  /** Canonical when they were read: those at `heights`, without skipped ones, and perhaps more. */
  readonly headers: readonly Block[]
}
