/** Follows one chain: new blocks, reorgs, and the events of watched swaps in blocks and in the mempool. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BranchRead } from '@tandem/chain-kit/port/abilities/branch-events.ts'
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
import { LEASE_SECONDS } from './leases.ts'
import { readNewest } from './newest-block.ts'
import { createPollMemory, forget, forgetRecorded, isRecorded, isRecordedAlready, type PollMemory, remember } from './poll-memory.ts'
import { keepAllUnmined, keepUnmined, type UnminedEvents } from './unmined-events.ts'
import { createWatchList, type WatchList } from './watch-list.ts'
import { withDeposits } from './watched-swaps.ts'

/** Read in one step when catching up: so many heights, or so much time of a fast chain. */
const STEP_HEIGHTS = 500n
const STEP_MS = 600_000n
/** Where heights may skip: how many are tried to find the last block of a step. */
const END_HEIGHTS = 16n
/**
 * Up to this many new heights, all are read and linked to the cursor by hash. If there are more, or on chains that are faster than our polls,
 * only the necessary ones: a fast chain costs no more requests.
 */
const DENSE_HEIGHTS = 4n
/** Steps of catching up that end so far below the tip leave only their last block: a reorg hardly reaches them. */
const DEEP_HEIGHTS = 2048n
/** The first poll of a chain, and every step of catching up, reads this many of the newest heights: a shallow reorg then rewinds little. */
const NEWEST_HEIGHTS = 16n
/** While the newest block stays the same, the lease is renewed only this often. */
const RENEW_LEASE_MS = 2000
/** How often the watch list reads what to expect while an order is open. */
const REFRESH_MS = 5000
/** How often new blocks are recorded while no order is open. */
const REST_MS = 60_000
/** A mempool that could not be read is not asked again for so long. */
const MEMPOOL_REST_MS = 60_000
/** How long a poll waits for the mempool: one that an action waits for (with slow nodes: so many times as long as for the newest block), and a regular one. */
const MEMPOOL_AWAITED_MS = 1_000
const MEMPOOL_AWAITED_ANSWERS = 2
const MEMPOOL_REGULAR_MS = 10_000
/** In poll intervals: how often the finality tag is read while a swap waits for it. */
const FINALITY_POLLS = 10

export type Watch = {
  readonly db: Database
  readonly client: ChainClient
  /** Only one process per database follows a chain at a time: it holds a lease. */
  readonly holder: string
  /** Kept between polls, with its filters. */
  readonly list?: WatchList
  /** Kept between polls; without one, no reorg of final blocks is ever accepted. */
  readonly guard?: FinalGuard
  /** Kept between polls; without one, each poll takes the lease and reads the cursor, the list and the finality tag. */
  readonly memory?: PollMemory
  /** False: this process ends, and leaves the chain to another one. */
  readonly mayLease?: () => boolean
  /** Nobody waits for this poll: if no order is open, new blocks are only counted, and recorded once a minute. */
  readonly mayRest?: boolean
  /** The newest block that was seen, recorded or not. */
  readonly onTip?: (tip: Block) => void
  /** Everything up to `tip` is recorded, and `tip` was the newest block after this poll began. */
  readonly onCurrent?: (tip: Block) => void
  /** Events were recorded. */
  readonly onEvents?: () => void
  /** The mempool cannot be read; null: it can again. */
  readonly onMempool?: (failure: ChainFailure | null) => void
  /**
   * Went back from the height `from` to `to`. `blocks`: so many of the newest were certainly replaced. Not `from - to`: the newest common block that
   * we remember may be far below the fork.
   */
  readonly onReorg: (details: { readonly chain: string; readonly from: bigint; readonly to: bigint } & Reorg) => void
}

export type Reorg = {
  readonly blocks: bigint
  /** Deposits with their confirmations in these blocks. Most are mined again soon. */
  readonly counted: readonly CountedDeposit[]
}

export type PollResult = {
  /** Something happened to a swap, or the tip moved: states may have changed. */
  readonly changed: boolean
  /** There are more blocks to catch up with. */
  readonly behind: boolean
}

/**
 * One poll. Reads the tip first and the watch list second: an order created in between can only be funded in a later block.
 * If the tip's parent is the cursor, and the events are read by the tip's hash, everything was canonical when the tip was read. Else headers are
 * read once, with the events in one batch or after them: the cursor, the blocks with events and the newest block, all canonical at that moment.
 * A reorg at any earlier moment of the poll shows in one of them.
 */
export async function pollChain(watch: Watch): Promise<PollResult> {
  const { db, client, list = createWatchList(db, client.chain), memory = createPollMemory(), onCurrent = () => undefined } = watch
  const chain = client.chain.id
  const nowMs = performance.now()
  const mayRest = watch.mayRest === true
  const { tip, isAgreed } = await readNewest(client, memory, {
    mayGlimpse: mayRest,
    isEnough: (seen) => isResting(list, memory, seen, nowMs),
    nowMs,
  })
  const answerMs = performance.now() - nowMs
  watch.onTip?.(tip)
  if (isUnchanged(client, list, memory, tip, nowMs)) {
    if (isAgreed) onCurrent(tip)
    return NOTHING_NEW
  }
  if (mayRest && isResting(list, memory, tip, nowMs)) return NOTHING_NEW
  if (!(await takeLease(watch, memory, nowMs))) return NOTHING_NEW
  const cursor = memory.cursor ?? (await readCursor(db, chain))
  if (cursor !== null && tip.height <= cursor.height && tip.hash !== cursor.hash) return rewindToFork(watch, tip)
  const from = cursor === null ? firstHeight(client.chain, tip) : cursor.height + 1n
  const end = await endOfStep(client, from, tip)
  const finalHeight = await readFinalHeight(client, list, memory, cursor, nowMs)
  list.startFrom(cursor)
  // While an order is open, the list may expect too much or too little for a moment. What is watched is asked with the events.
  if (!list.hasOpen || nowMs - memory.refreshedAtMs >= REFRESH_MS) {
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
 * Null if it cannot be read in time: blocks are recorded all the same. A poll that an action waits for must end while its facts are fresh, so it does not
 * wait long; a regular one may wait longer, and leaves a mempool that does not answer alone for a while.
 */
async function readMempool(
  { client, mayRest, onMempool }: Watch,
  memory: PollMemory,
  watched: WatchedSwaps,
  answerMs: number,
): Promise<readonly HtlcEvent[] | null> {
  if (client.unconfirmedEvents === undefined) return []
  const isLeftAlone = memory.mempoolFailedAtMs !== null && performance.now() - memory.mempoolFailedAtMs < MEMPOOL_REST_MS
  if (memory.isReadingMempool || isLeftAlone) return null
  memory.isReadingMempool = true
  const reading = client.unconfirmedEvents(watched).finally(() => {
    memory.isReadingMempool = false
  })
  const outcome = await within(mayRest === true ? MEMPOOL_REGULAR_MS : awaitedMempoolMs(answerMs), reading)
  if ('late' in outcome && mayRest !== true) return null
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

/** How long a poll that an action waits for waits for the mempool. `answerMs`: how long the newest block took. */
export function awaitedMempoolMs(answerMs: number): number {
  return Math.min(Math.max(MEMPOOL_AWAITED_MS, answerMs * MEMPOOL_AWAITED_ANSWERS), MEMPOOL_REGULAR_MS)
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

/** As recorded. Those of an earlier process may be mined meanwhile. */
async function readUnmined({ db, client }: Watch, { unmined }: PollMemory): Promise<UnminedEvents> {
  if (unmined !== null) return unmined
  return { events: client.unconfirmedEvents === undefined ? [] : await readUnconfirmed(db, client.chain.id), missing: new Set() }
}

/** The newest block is recorded, and nothing else is due: no query, and no further request. */
function isUnchanged(client: ChainClient, list: WatchList, memory: PollMemory, tip: Block, nowMs: number): boolean {
  return (
    memory.cursor?.hash === tip.hash &&
    nowMs - memory.leasedAtMs < RENEW_LEASE_MS &&
    nowMs - memory.refreshedAtMs < REFRESH_MS &&
    !isFinalityDue(client, list, memory, nowMs) &&
    (client.unconfirmedEvents === undefined || !list.expectsUnconfirmed)
  )
}

function isResting(list: WatchList, { cursor, recordedAtMs, refreshedAtMs }: PollMemory, tip: Block, nowMs: number): boolean {
  if (cursor === null || list.hasOpen || (tip.height <= cursor.height && tip.hash !== cursor.hash)) return false
  return nowMs - recordedAtMs < REST_MS && nowMs - refreshedAtMs < REST_MS
}

/** What we recorded is forgotten if the lease was not ours all the time since. */
async function takeLease({ db, client, holder, mayLease }: Watch, memory: PollMemory, nowMs: number): Promise<boolean> {
  if (mayLease?.() === false) return false
  if (nowMs - memory.leasedAtMs < RENEW_LEASE_MS) return true
  const isHeld = await holdLease(db, watchLease(client.chain.id), holder, LEASE_SECONDS)
  if (!isHeld || nowMs - memory.leasedAtMs >= LEASE_SECONDS * 1000) forgetRecorded(memory)
  if (isHeld) memory.leasedAtMs = nowMs
  memory.isLeasedElsewhere = !isHeld
  return isHeld
}

function isFinalityDue({ chain, finalHeight }: ChainClient, list: WatchList, memory: PollMemory, nowMs: number): boolean {
  if (finalHeight === undefined) return false
  if (memory.finalReadAtMs === Number.NEGATIVE_INFINITY) return true
  return list.hasDeposits && nowMs - memory.finalReadAtMs >= FINALITY_POLLS * chain.pollMs
}

/** What was recorded last, unless the tag is due: nothing becomes final too early by that. */
async function readFinalHeight(
  client: ChainClient,
  list: WatchList,
  memory: PollMemory,
  cursor: RecordedBlock | null,
  nowMs: number,
): Promise<bigint | null> {
  if (!isFinalityDue(client, list, memory, nowMs)) return cursor?.finalHeight ?? null
  const height = (await client.finalHeight?.()) ?? null
  memory.finalReadAtMs = nowMs
  return height
}

/** `headers`: those to check, as far as they could be read with the events. */
async function readEvents(client: ChainClient, list: WatchList, range: Range): Promise<BranchRead> {
  const { from, end } = range
  if (end.height < from || list.isEmpty) return { events: [], headers: [] }
  if (client.branchEvents === undefined) return { events: await client.events(list, from, end.height), headers: [] }
  return client.branchEvents(list, from, end, heightsToCheck(client, range))
}

/** The name of the lease that one poll takes. */
export function watchLease(chain: ChainId): string {
  return `watch ${chain}`
}

const NOTHING_NEW: PollResult = { changed: false, behind: false }

/** The start on a chain that we never watched: below any reorg we allow for. Skipped heights do not count as blocks. */
function firstHeight({ finalityBlocks, heightsMaySkip }: Chain, tip: Block): bigint {
  const height = tip.height - BigInt(finalityBlocks) * (heightsMaySkip ? 2n : 1n)
  return height > 0n ? height : 0n
}

/** The tip, or a block below it when there is much to catch up with. */
async function endOfStep(client: ChainClient, from: bigint, tip: Block): Promise<Block> {
  const { heightsMaySkip, blockMs } = client.chain
  const step = STEP_MS > STEP_HEIGHTS * blockMs ? STEP_MS / blockMs : STEP_HEIGHTS
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
  /** The events of a single block were read by its hash. */
  readonly isByHash: boolean
}

/** The headers to remember, lowest first, consistent with the cursor and the events; or why this poll must not be recorded. */
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
  // No block above the end: the newest remembered block becomes the cursor, and events are read up to the end only.
  return [...headers.values()].filter(({ height }) => (height >= from && height <= end.height) || wanted.has(height))
}

/** The newest block is the only new one, and names the cursor as its parent: no other header is needed. */
function isLinkedToCursor(range: Range): boolean {
  const { cursor, from, end, isByHash } = range
  return isByHash && finalToRemember(range).length === 0 && end.height === from && end.parentHash === cursor?.hash
}

function heightsToRemember(client: ChainClient, range: Range): ReadonlySet<bigint> {
  return new Set([...newHeights(client, range), ...finalToRemember(range)])
}

/** Without those of blocks with events. */
function heightsToCheck(client: ChainClient, range: Range): readonly bigint[] {
  if (isLinkedToCursor(range)) return []
  const heights = new Set([...(range.cursor === null ? [] : [range.cursor.height]), ...heightsToRemember(client, range)])
  return [...heights].sort((a, b) => Number(a - b))
}

/** If few: all. If many: the newest, a sparse set below to find the fork after a reorg, and on the first poll also the lowest. */
function newHeights({ chain }: ChainClient, { cursor, from, end, tip }: Range): readonly bigint[] {
  const count = end.height - from + 1n
  if (count <= (chain.blockMs < BigInt(chain.pollMs) ? 0n : DENSE_HEIGHTS)) return heightsBetween(from, end.height)
  // A fork so deep may be found a step too low.
  if (cursor !== null && end.height < tip.height - DEEP_HEIGHTS) return [end.height]
  const sparse = heightsBetween(0n, (count - 1n) / SPARSE_BLOCKS).map((index) => end.height - index * SPARSE_BLOCKS)
  if (cursor !== null && count <= SPARSE_BLOCKS) return sparse
  const lowest = end.height - (count < NEWEST_HEIGHTS ? count : NEWEST_HEIGHTS) + 1n
  return [...(cursor === null ? [from] : []), ...sparse, ...heightsBetween(lowest, end.height)]
}

/** The new final block, remembered to tell a reorg below it from one above it. */
function finalToRemember({ cursor, end, finalHeight }: Range): readonly bigint[] {
  const isNews = finalHeight !== null && finalHeight > (cursor?.finalHeight ?? 0n) && finalHeight <= end.height
  return isNews && finalHeight !== cursor?.height ? [finalHeight] : []
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
