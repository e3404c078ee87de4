/** Keeps the memory of a watcher between polls of its chain: a poll that finds nothing new is one request to the node and no query. */
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import type { Poll, RecordedBlock } from '../store/chain/events.ts'
import { createSeenEvents, type SeenEvents } from './evidence/seen-events.ts'
import type { UnminedEvents } from './unmined-events.ts'

export type PollMemory = {
  /** The newest block that this process recorded. With null, the cursor is read from the database. */
  cursor: RecordedBlock | null
  /** The newest block of the last quorum, and the number of polls since that read from a single provider. */
  agreed: { readonly tip: Block; readonly atMs: number; readonly singleReads: number } | null
  /** A time by `performance.now()`, like all times here. */
  leasedAtMs: number
  isLeasedElsewhere: boolean
  recordedAtMs: number
  refreshedAtMs: number
  finalReadAtMs: number
  /** Recorded events of recent blocks need not be checked and recorded again. */
  readonly recorded: Map<string, bigint>
  /** Evidence: all that was read since the last reorg. */
  readonly seen: SeenEvents
  /** The unmined events of the last recorded poll. With null, they are read from the database. */
  unmined: UnminedEvents | null
  mempoolFailedAtMs: number | null
  /** While a request to the mempool is open, no second one is made. */
  isReadingMempool: boolean
}

/** More heights than any client reads again. */
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

export function forget(memory: PollMemory): void {
  forgetRecorded(memory)
  memory.leasedAtMs = memory.refreshedAtMs = memory.finalReadAtMs = Number.NEGATIVE_INFINITY
}

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

/** Without a block, an event or a change in the mempool there is nothing to write. */
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
