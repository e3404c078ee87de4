/** What a watcher remembers between polls of its chain, so that a poll that finds nothing new is one request to the node and no query. */
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { Poll, RecordedBlock } from '../store/chain/events.ts'
import { createSeenEvents, type SeenEvents } from './evidence/seen-events.ts'
import type { UnminedEvents } from './unmined-events.ts'

export type PollMemory = {
  /** The newest recorded block, if this process recorded it; null: read it from the database. */
  cursor: RecordedBlock | null
  /** The newest block of the last quorum, and how many polls have asked a single provider since. */
  agreed: { readonly tip: Block; readonly atMs: number; readonly singleReads: number } | null
  /** When we took the lease, by `performance.now()`. */
  leasedAtMs: number
  /** Another process had the lease when we last asked for it. */
  isLeasedElsewhere: boolean
  /** When a poll was last recorded. */
  recordedAtMs: number
  /** When the watch list was last compared with the database. */
  refreshedAtMs: number
  /** When the finality tag was last read. */
  finalReadAtMs: number
  /** Recorded events of recent blocks: they need not be checked and recorded again. */
  readonly recorded: Map<string, bigint>
  /** All that was read since the last reorg, as evidence. */
  readonly seen: SeenEvents
  /** Those of the last recorded poll; null: read them from the database. */
  unmined: UnminedEvents | null
  /** When the mempool could not be read; null: it was read last time. */
  mempoolFailedAtMs: number | null
  /** A request to the mempool is still open: no second one is made. */
  isReadingMempool: boolean
}

/** Heights for which recorded events are remembered: more than any client reads again. */
const REMEMBERED_HEIGHTS = 1000n

export function createPollMemory(): PollMemory {
  const never = Number.NEGATIVE_INFINITY
  return {
    cursor: null,
    agreed: null,
    leasedAtMs: never,
    isLeasedElsewhere: false,
    recordedAtMs: never,
    refreshedAtMs: never,
    finalReadAtMs: never,
    recorded: new Map(),
    seen: createSeenEvents(),
    unmined: null,
    mempoolFailedAtMs: null,
    isReadingMempool: false,
  }
}

/** After a reorg. */
export function forget(memory: PollMemory): void {
  forgetRecorded(memory)
  memory.leasedAtMs = memory.refreshedAtMs = memory.finalReadAtMs = Number.NEGATIVE_INFINITY
}

/** Another process may have recorded something else. */
export function forgetRecorded(memory: PollMemory): void {
  memory.cursor = null
  memory.unmined = null
  memory.recorded.clear()
  memory.seen.clear()
}

export function remember(memory: PollMemory, cursor: RecordedBlock, events: readonly HtlcEvent[], unmined: UnminedEvents): void {
  memory.cursor = cursor
  memory.unmined = unmined
  for (const [key, height] of memory.recorded) if (height < cursor.height - REMEMBERED_HEIGHTS) memory.recorded.delete(key)
  memory.seen.note(events)
  for (const event of events) if (event.block !== null) memory.recorded.set(keyOf(event), event.block.height)
}

export function isRecorded(memory: PollMemory, event: HtlcEvent): boolean {
  return memory.recorded.has(keyOf(event))
}

/** No block, no event, and the mempool as it was: there is nothing to write. */
export function isRecordedAlready({ cursor, unmined }: PollMemory, poll: Poll): boolean {
  if (cursor === null || unmined === null || poll.blocks.length > 0 || poll.events.length > 0) return false
  return (poll.finalHeight ?? null) === (cursor.finalHeight ?? null) && textOf(poll.unconfirmed) === textOf(unmined.events)
}

/** A witness that shows the secret may be replaced without changing the transaction id. */
function textOf(unconfirmed: readonly HtlcEvent[]): string {
  return unconfirmed
    .map((event) => `${event.tx} ${event.index} ${event.kind === 'initiated' ? '' : event.secret}`)
    .sort()
    .join()
}

function keyOf({ tx, index, block }: HtlcEvent): string {
  return `${tx} ${index} ${block?.hash}`
}
