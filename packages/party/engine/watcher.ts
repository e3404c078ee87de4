/** Follows one chain: new blocks, reorgs, and the events of watched swaps in blocks and in the mempool. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BranchRead } from '@tandem/chain-kit/port/abilities/reading.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import type { Block, Chain } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import { holdLease } from '../store/actions/leases.ts'
import { type CountedDeposit, readCountedDeposits } from '../store/chain/counted-deposits.ts'
import { type Poll, type RecordedBlock, readCursor, readUnconfirmed, recordPoll, rewind, SPARSE_BLOCKS } from '../store/chain/events.ts'
import type { Database } from '../store/database/database.ts'
import { createFinalGuard, type FinalGuard } from './final-guard.ts'
import { findFork } from './fork.ts'
import { heightsBetween, lacksBlock, linkHeaders, readHeaders } from './headers.ts'
import { readNewest } from './newest-block.ts'
import {
  type DepthState,
  isFinalityDue,
  isLeaseDue,
  isListDue,
  isMempoolBackingOff,
  mayPostpone,
  mempoolWaitMs,
  pollDepth,
} from './pace.ts'
import { createPollMemory, forget, forgetRecorded, isRecorded, isRecordedAlready, type PollMemory, remember } from './poll-memory.ts'
import { CATCH_UP_STEP_MS, LEASE_SECONDS } from './times.ts'
import { keepAllUnmined, keepUnmined, type UnminedEvents } from './unmined-events.ts'
import { createWatchList, type WatchList } from './watch-list.ts'
import { withDeposits } from './watched-swaps.ts'

/** A backfill step reads this many heights, or on a fast chain those of `CATCH_UP_STEP_MS`. */
const STEP_HEIGHTS = 500n
/** Where heights may be skipped, this many are tried to find the last block of a step. */
const END_HEIGHTS = 16n
/**
 * Up to this many new heights are all read and linked to the cursor by hash. If there are more, or on chains that are faster than our
 * polls, only the necessary heights are read: a fast chain costs no more requests.
 */
const DENSE_HEIGHTS = 4n
/** Backfill steps that end this far below the tip keep only their last block: a reorg hardly reaches them. */
const DEEP_HEIGHTS = 2048n
/** The first poll of a chain, and every backfill step, reads this many of the newest heights: a shallow reorg then rewinds little. */
const NEWEST_HEIGHTS = 16n

export type Watch = {
  readonly db: Database
  readonly client: ChainClient
  /** Only the holder of the chain's lease follows it. */
  readonly holder: string
  readonly list?: WatchList
  /** Keep this between polls. Without it, no reorg of final blocks is ever accepted. */
  readonly guard?: FinalGuard
  /** Keep this between polls. Without it, each poll takes the lease and reads the cursor, the list and the finality tag. */
  readonly memory?: PollMemory
  /** Returns false when this process ends, to leave the chain to another one. */
  readonly mayLease?: () => boolean
  /** No action awaits this poll, so with no open order it may skip recording. */
  readonly isBackground?: boolean
  /** The block may be recorded or not. */
  readonly onTip?: (tip: Block) => void
  /** Everything up to `tip` is recorded, and `tip` was the newest block after this poll began. */
  readonly onCurrent?: (tip: Block) => void
  readonly onEvents?: () => void
  /** The argument is null when the mempool can be read again. */
  readonly onMempool?: (failure: ChainFailure | null) => void
  /**
   * The rewind goes from the height `from` to `to`. `blocks` are those that were certainly replaced. This can be less than `from - to`: the
   * newest common block that we remember may be far below the fork.
   */
  readonly onReorg: (details: { readonly chain: string; readonly from: bigint; readonly to: bigint } & Reorg) => void
}

export type Reorg = {
  readonly blocks: bigint
  /** Deposits with their confirmations in the replaced blocks. Most are mined again soon. */
  readonly counted: readonly CountedDeposit[]
}

export type PollResult = {
  /** An event was recorded or the tip moved, so states may have changed. */
  readonly changed: boolean
  /** More blocks must be backfilled. */
  readonly behind: boolean
}

/**
 * Polls once. It reads the tip first and the watch list second: an order created in between can only be funded in a later block. If the
 * tip's parent is the cursor, and the events are read by the tip's hash, everything was canonical when the tip was read. Otherwise headers
 * are read once, with the events in one batch or after them: the cursor, the blocks with events and the newest block, all canonical at that
 * moment. A reorg at any earlier moment of the poll shows in one of them.
 */
export async function pollChain(watch: Watch): Promise<PollResult> {
  const { db, client, list = createWatchList(db, client.chain), memory = createPollMemory(), onCurrent = () => undefined } = watch
  const chain = client.chain.id
  const nowMs = performance.now()
  const depthState: DepthState = {
    memory,
    list,
    pollMs: client.chain.pollMs,
    hasFinalityTag: client.finalHeight !== undefined,
    hasMempool: client.unconfirmedEvents !== undefined,
    isBackground: watch.isBackground === true,
  }
  const { tip, isAgreed } = await readNewest(client, memory, {
    isAllowed: depthState.isBackground,
    isEnough: (seen) => mayPostpone(depthState, seen, nowMs),
    nowMs,
  })
  const answerMs = performance.now() - nowMs
  watch.onTip?.(tip)
  const depth = pollDepth(depthState, tip, nowMs)
  if (depth === 'unchanged' && isAgreed) onCurrent(tip)
  if (depth !== 'full') return NOTHING_NEW
  if (!(await takeLease(watch, memory, nowMs))) return NOTHING_NEW
  const cursor = memory.cursor ?? (await readCursor(db, chain))
  if (cursor !== null && tip.height <= cursor.height && tip.hash !== cursor.hash) return rewindToFork(watch, tip)
  const from = cursor === null ? firstHeight(client.chain, tip) : cursor.height + 1n
  const end = await endOfStep(client, from, tip)
  // The last recorded final height makes nothing final too early.
  const finalHeight = isFinalityDue(depthState, nowMs) ? await readFinalHeight(client, memory, nowMs) : (cursor?.finalHeight ?? null)
  list.startFrom(cursor)
  // While an order is open, the list may expect too much or too little for a moment. Which swaps are watched is looked up with the events.
  if (!list.hasOpen || isListDue(memory, nowMs)) {
    memory.refreshedAtMs = nowMs
    await list.refresh()
  }
  const isByHash = list.isEmpty || client.branchEvents !== undefined
  const range: Range = { cursor, from, end, tip, finalHeight, isByHash }
  const read = await readEvents(client, list, range)
  const events = read.events.filter((event) => !isRecorded(memory, event))
  const minedDeposits = new Map(events.filter((event) => event.kind === 'initiated').map((event) => [event.deposit, event.swapId]))
  const unconfirmed = list.expectsUnconfirmed ? await readMempool(watch, memory, withDeposits(list, minedDeposits), answerMs) : []
  const checked = await readChecked(client, range, events, read.headers)
  if (checked === 'cursor-gone') return rewindToFork(watch, tip)
  if (checked === 'changed') return NOTHING_NEW
  const isComplete = isAgreed && end.height === tip.height
  const before = await readUnmined(watch, memory)
  const unmined = unconfirmed === null ? keepAllUnmined(before, events) : keepUnmined(before, { unconfirmed, mined: events, isComplete })
  const step: Poll = { chain, after: cursor, blocks: checked, finalHeight, events, unconfirmed: unmined.events }
  const recorded = isRecordedAlready(memory, step) ? { changed: false, finalHeight } : await recordPoll(db, step)
  if (recorded === null) {
    forget(memory)
    return { changed: true, behind: true }
  }
  list.recorded(end, [...events, ...(unconfirmed ?? [])])
  memory.recordedAtMs = nowMs
  if (recorded.changed) watch.onEvents?.()
  remember(memory, { ...end, ...(recorded.finalHeight !== null && { finalHeight: recorded.finalHeight }) }, events, unmined)
  if (isComplete) onCurrent(tip)
  return { changed: recorded.changed || end.height >= from, behind: end.height < tip.height }
}

/**
 * Returns null if the mempool cannot be read in time; blocks are recorded all the same. A poll that an action awaits must end while its
 * facts are fresh, so it does not wait long. A regular poll may wait longer, and then leaves a failing mempool alone for a while.
 */
async function readMempool(
  { client, isBackground = false, onMempool }: Watch,
  memory: PollMemory,
  watched: WatchedSwaps,
  answerMs: number,
): Promise<readonly HtlcEvent[] | null> {
  if (client.unconfirmedEvents === undefined) return []
  if (memory.isReadingMempool || isMempoolBackingOff(memory, performance.now())) return null
  memory.isReadingMempool = true
  const reading = client.unconfirmedEvents(watched).finally(() => {
    memory.isReadingMempool = false
  })
  const outcome = await within(mempoolWaitMs(isBackground, answerMs), reading)
  if ('late' in outcome && !isBackground) return null
  if ('events' in outcome) {
    if (memory.mempoolFailedAtMs !== null) onMempool?.(null)
    memory.mempoolFailedAtMs = null
    return outcome.events
  }
  const error = 'late' in outcome ? new ChainFailure('unreachable', `the mempool: no answer within ${outcome.late} ms`) : outcome.error
  if (!(error instanceof ChainFailure)) throw error
  if (memory.mempoolFailedAtMs === null) onMempool?.(error)
  memory.mempoolFailedAtMs = performance.now()
  return null
}

type MempoolOutcome = { readonly events: readonly HtlcEvent[] } | { readonly error: unknown } | { readonly late: number }

async function within(ms: number, reading: Promise<readonly HtlcEvent[]>): Promise<MempoolOutcome> {
  const timer = new AbortController()
  try {
    return await Promise.race([
      reading.then(
        (events) => ({ events }),
        (error: unknown) => ({ error }),
      ),
      sleep(ms, { late: ms }, { signal: timer.signal }),
    ])
  } finally {
    timer.abort()
  }
}

async function readUnmined({ db, client }: Watch, { unmined }: PollMemory): Promise<UnminedEvents> {
  if (unmined !== null) return unmined
  return { events: client.unconfirmedEvents === undefined ? [] : await readUnconfirmed(db, client.chain.id), missing: new Set() }
}

/** The memory of recorded blocks is dropped if another process held the lease meanwhile. */
async function takeLease({ db, client, holder, mayLease }: Watch, memory: PollMemory, nowMs: number): Promise<boolean> {
  if (mayLease?.() === false) return false
  if (!isLeaseDue(memory, nowMs)) return true
  const isHeld = await holdLease(db, watchLease(client.chain.id), holder, LEASE_SECONDS)
  if (!isHeld || nowMs - memory.leasedAtMs >= LEASE_SECONDS * 1000) forgetRecorded(memory)
  if (isHeld) memory.leasedAtMs = nowMs
  memory.isLeasedElsewhere = !isHeld
  return isHeld
}

async function readFinalHeight(client: ChainClient, memory: PollMemory, nowMs: number): Promise<bigint | null> {
  const height = (await client.finalHeight?.()) ?? null
  memory.finalReadAtMs = nowMs
  return height
}

/** `headers` are the headers to check, if the client can read them with the events. */
async function readEvents(client: ChainClient, list: WatchList, range: Range): Promise<BranchRead> {
  const { from, end } = range
  if (end.height < from || list.isEmpty) return { events: [], headers: [] }
  if (client.branchEvents === undefined) return { events: await client.events(list, from, end.height), headers: [] }
  return client.branchEvents(list, from, end, heightsToCheck(client, range))
}

export function watchLease(chain: ChainId): string {
  return `watch ${chain}`
}

const NOTHING_NEW: PollResult = { changed: false, behind: false }

/** The first height on a chain that we never watched is below any reorg we allow for. Skipped heights do not count as blocks. */
function firstHeight({ finalityBlocks, heightsMaySkip }: Chain, tip: Block): bigint {
  const height = tip.height - BigInt(finalityBlocks) * (heightsMaySkip ? 2n : 1n)
  return height > 0n ? height : 0n
}

/** Returns the tip, or a block below it when much must be backfilled. */
async function endOfStep(client: ChainClient, from: bigint, tip: Block): Promise<Block> {
  const { heightsMaySkip, blockMs } = client.chain
  const step = CATCH_UP_STEP_MS > STEP_HEIGHTS * blockMs ? CATCH_UP_STEP_MS / blockMs : STEP_HEIGHTS
  for (let to = from + step - 1n; to < tip.height; to += step) {
    const headers = await readHeaders(client, heightsMaySkip ? heightsBetween(to - END_HEIGHTS + 1n, to) : [to])
    const last = [...headers.values()].at(-1)
    if (last !== undefined) return last
    if (!heightsMaySkip) throw lacksBlock(client, to)
  }
  return tip
}

type Range = {
  readonly cursor: RecordedBlock | null
  readonly from: bigint
  readonly end: Block
  readonly tip: Block
  readonly finalHeight: bigint | null
  readonly isByHash: boolean
}

/** Returns the headers to remember, lowest first and consistent; or the reason why this poll must not be recorded. */
async function readChecked(
  client: ChainClient,
  range: Range,
  events: readonly HtlcEvent[],
  read: readonly Block[],
): Promise<readonly Block[] | 'cursor-gone' | 'changed'> {
  const { cursor, from, end } = range
  const wanted = heightsToRemember(client, range)
  if (wanted.size === 0) return []
  const eventBlocks = events.flatMap(({ block }) => block ?? [])
  if (isLinkedToCursor(range)) return eventBlocks.every(({ hash }) => hash === end.hash) ? [end] : 'changed'
  const needed = new Set([...heightsToCheck(client, range), ...eventBlocks.map(({ height }) => height)])
  const readHeights = new Set(read.map(({ height }) => height))
  const headers = [...needed].every((height) => readHeights.has(height))
    ? linkHeaders(client, needed, read)
    : await readHeaders(client, needed)
  if (cursor !== null && headers.get(cursor.height)?.hash !== cursor.hash) return 'cursor-gone'
  if (eventBlocks.length < events.length || [...eventBlocks, end].some(({ height, hash }) => headers.get(height)?.hash !== hash))
    return 'changed'
  const lacking = client.chain.heightsMaySkip ? undefined : [...wanted].find((height) => !headers.has(height))
  if (lacking !== undefined) throw lacksBlock(client, lacking)
  // No block above the end is remembered: the newest remembered block becomes the cursor, and events are read up to the end only.
  return [...headers.values()].filter(({ height }) => (height >= from && height <= end.height) || wanted.has(height))
}

/** The newest block is the only new one and names the cursor as its parent, so no other header is needed. */
function isLinkedToCursor(range: Range): boolean {
  const { cursor, from, end, isByHash } = range
  return isByHash && finalToRemember(range).length === 0 && end.height === from && end.parentHash === cursor?.hash
}

function heightsToRemember(client: ChainClient, range: Range): ReadonlySet<bigint> {
  return new Set([...newHeights(client, range), ...finalToRemember(range)])
}

/** Blocks with events are checked in addition. */
function heightsToCheck(client: ChainClient, range: Range): readonly bigint[] {
  if (isLinkedToCursor(range)) return []
  const heights = new Set([...(range.cursor === null ? [] : [range.cursor.height]), ...heightsToRemember(client, range)])
  return [...heights].sort((a, b) => Number(a - b))
}

/** Returns all heights if they are few. Otherwise a sparse set is enough to find the fork after a reorg. */
function newHeights({ chain }: ChainClient, { cursor, from, end, tip }: Range): readonly bigint[] {
  const count = end.height - from + 1n
  if (count <= (chain.blockMs < BigInt(chain.pollMs) ? 0n : DENSE_HEIGHTS)) return heightsBetween(from, end.height)
  // If a fork is this deep, the rewind may go one step too low.
  if (cursor !== null && end.height < tip.height - DEEP_HEIGHTS) return [end.height]
  const sparse = heightsBetween(0n, (count - 1n) / SPARSE_BLOCKS).map((index) => end.height - index * SPARSE_BLOCKS)
  if (cursor !== null && count <= SPARSE_BLOCKS) return sparse
  const lowest = end.height - (count < NEWEST_HEIGHTS ? count : NEWEST_HEIGHTS) + 1n
  return [...(cursor === null ? [from] : []), ...sparse, ...heightsBetween(lowest, end.height)]
}

/** The new final block is remembered to tell a reorg below it from one above it. */
function finalToRemember({ cursor, end, finalHeight }: Range): readonly bigint[] {
  const isNew = finalHeight !== null && finalHeight > (cursor?.finalHeight ?? 0n) && finalHeight <= end.height
  return isNew && finalHeight !== cursor?.height ? [finalHeight] : []
}

async function rewindToFork(watch: Watch, tip: Block): Promise<PollResult> {
  const { db, client, onReorg, guard = createFinalGuard() } = watch
  const chain = client.chain.id
  if (watch.memory !== undefined) forget(watch.memory)
  const cursor = await readCursor(db, chain)
  const fork = await findFork(db, client, tip)
  if (cursor === null || fork === null) return NOTHING_NEW
  const falseAbove = await guard.judge(db, client, fork)
  const counted = await readCountedDeposits(db, chain, { from: fork.lowestGone.height, tip: cursor.height })
  onReorg({ chain, from: cursor.height, to: fork.ancestor.height, blocks: cursor.height - fork.lowestGone.height + 1n, counted })
  await rewind(db, chain, fork.ancestor, falseAbove)
  return { changed: true, behind: true }
}
