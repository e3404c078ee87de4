/** The event readers of families whose nodes list events share these parts. */
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { BranchEvents } from '../port/abilities/reading.ts'
import { ChainFailure } from '../port/failure.ts'
import type { WatchedSwaps } from '../port/watched-swaps.ts'

export interface EventReader {
  read(watched: WatchedSwaps, from: bigint, to: bigint): Promise<readonly HtlcEvent[]>
  readonly readBranch: BranchEvents
}

const MAX_TRIES = 3

/** Repeats a read that returns null, because a reorg happened meanwhile. `range` names what is read, e.g. "blocks 3 to 5". */
export async function readConsistently<T>(range: string, read: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const answer = await read()
    if (answer !== null) return answer
  }
  throw new ChainFailure('unreachable', `the node gave no consistent view of ${range}`)
}

/** An order is initiated before it is settled, also within one block. */
export function inChainOrder(a: HtlcEvent, b: HtlcEvent): number {
  const settles = ({ kind }: HtlcEvent) => (kind === 'initiated' ? 0 : 1)
  return Number((a.block?.height ?? 0n) - (b.block?.height ?? 0n)) || settles(a) - settles(b)
}
