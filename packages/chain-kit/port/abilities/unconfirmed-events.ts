/** The mempool of nodes can be searched. Absent: an event is first seen in a block. */
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { WatchedSwaps } from '../watched-swaps.ts'

/** As `events`, of unconfirmed transactions: their block is null. */
export type UnconfirmedEvents = (watched: WatchedSwaps) => Promise<readonly HtlcEvent[]>
