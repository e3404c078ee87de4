/** Decides when a chain is polled and what a poll reads, by pure functions. README.md has the table, `times.ts` the durations. */
import type { Block, Chain } from '@tandem/protocol/chain.ts'
import type { PollMemory } from './poll-memory.ts'
import {
  DISPATCH_ALONE_MS,
  DISPATCH_MS,
  FAST_BLOCK_MS,
  IDLE_LOOP_MS,
  IDLE_POLL_MS,
  IDLE_RECORD_MS,
  MAX_MEMPOOL_WAIT_MS,
  MEMPOOL_BACKOFF_MS,
  MIN_ANNOUNCED_MS,
  MIN_MEMPOOL_WAIT_MS,
  QUORUM_MS,
  RECONCILE_MS,
  STANDBY_POLL_MS,
  WATCH_LEASE_RENEWAL_MS,
  WATCH_LIST_MS,
} from './times.ts'
import type { WatchList } from './watch-list.ts'

/** The inputs that decide when a chain is polled next. Times are by `performance.now()`. */
export type PollState = Pick<Chain, 'pollMs' | 'blockMs'> & {
  readonly isFailing: boolean
  readonly isLeasedElsewhere: boolean
  readonly hasOpenOrder: boolean
  /** An order may have been written since the watch list was read. */
  readonly isListStale: boolean
  readonly polledAtMs: number
  /** The time at which the nodes last announced a block. */
  readonly announcedAtMs: number
  /** As far as we know, a swap is in progress until then. */
  readonly activeUntilMs: number
}

type PaceRow = {
  readonly state: 'failing' | 'standby' | 'idle' | 'announced' | 'quiet' | 'active'
  /** README.md shows the condition and the interval in these words. */
  readonly when: string
  readonly interval: string
  readonly holds: (s: PollState, nowMs: number) => boolean
  readonly intervalMs: (pollMs: number) => number
}

/** On the relaxed pace, a deposit is seen up to this many poll intervals later. */
const RELAXED_FACTOR = 5
/** Nodes that announced one of the last three blocks will announce the next one. */
const ANNOUNCED_BLOCKS = 3
/** While a swap waits for finality, the tag is read once in this many poll intervals. */
const FINALITY_POLLS = 10
/** With slow nodes, an awaited poll waits for the mempool this many times as long as for the newest block. */
const MEMPOOL_WAIT_ANSWERS = 2
/** Between two quorums, this many polls ask one provider each, so a provider that dies or hides blocks delays us little. */
const MAX_SINGLE_READS = 4

const regular = (pollMs: number) => pollMs
const relaxed = (pollMs: number) => pollMs * RELAXED_FACTOR

const active: PaceRow = {
  state: 'active',
  when: 'otherwise',
  interval: '`pollMs`',
  holds: () => true,
  intervalMs: regular,
}

/** The first row whose condition holds decides. */
export const pace: readonly PaceRow[] = [
  { state: 'failing', when: 'the last poll failed', interval: '`pollMs`', holds: (s) => s.isFailing, intervalMs: regular },
  {
    state: 'standby',
    when: 'another process holds the lease',
    interval: `\`pollMs\`, at least ${STANDBY_POLL_MS / 1000} s`,
    holds: (s) => s.isLeasedElsewhere,
    intervalMs: (pollMs) => Math.max(pollMs, STANDBY_POLL_MS),
  },
  {
    state: 'idle',
    when: 'no order is open on the chain',
    interval: `\`pollMs\`, at least ${IDLE_POLL_MS / 1000} s`,
    holds: (s) => !s.hasOpenOrder,
    intervalMs: (pollMs) => Math.max(pollMs, IDLE_POLL_MS),
  },
  {
    state: 'announced',
    when: 'the nodes announce new blocks, which wake a poll',
    interval: `${RELAXED_FACTOR} × \`pollMs\``,
    holds: isAnnounced,
    intervalMs: relaxed,
  },
  {
    state: 'quiet',
    when: 'blocks come faster than polls, and no swap is in progress',
    interval: `${RELAXED_FACTOR} × \`pollMs\``,
    holds: isQuiet,
    intervalMs: relaxed,
  },
  active,
]

export function nextPoll(s: PollState, nowMs: number): { readonly state: PaceRow['state']; readonly afterMs: number } {
  const { state, intervalMs } = pace.find(({ holds }) => holds(s, nowMs)) ?? active
  return { state, afterMs: intervalMs(s.pollMs) }
}

/** If the nodes announce new blocks, hints of others are not needed. */
export function isAnnounced({ announcedAtMs, blockMs }: Pick<PollState, 'announcedAtMs' | 'blockMs'>, nowMs: number): boolean {
  return nowMs - announcedAtMs <= Math.max(MIN_ANNOUNCED_MS, Number(blockMs) * ANNOUNCED_BLOCKS)
}

function isQuiet({ blockMs, pollMs, activeUntilMs }: PollState, nowMs: number): boolean {
  return blockMs < BigInt(pollMs) && nowMs >= activeUntilMs
}

/** Another process watches the chain. Until the next regular poll this process reads what the other one records. */
export function isStandby({ isLeasedElsewhere, isFailing, polledAtMs }: PollState, nowMs: number): boolean {
  return isLeasedElsewhere && !isFailing && nowMs - polledAtMs < STANDBY_POLL_MS
}

/** A hint of another process, or an announced block, causes a poll before the interval ends. */
export function mayWake(cause: 'hint' | 'block', s: PollState, nowMs: number): boolean {
  if (isStandby(s, nowMs) || (!s.isListStale && !s.hasOpenOrder)) return false
  return cause === 'hint' ? !isAnnounced(s, nowMs) : Number(s.blockMs) >= FAST_BLOCK_MS || !isQuiet(s, nowMs)
}

/** The inputs that decide how often the reconciler and the dispatcher run if nothing wakes them. */
export type LoopState = {
  readonly hasOpenOrder: boolean
  readonly isRunning: boolean
  /** No other engine runs on this database, so none could die and leave work. */
  readonly isAlone: boolean
}

export function reconcileIntervalMs({ hasOpenOrder, isRunning }: Pick<LoopState, 'hasOpenOrder' | 'isRunning'>): number {
  return hasOpenOrder || isRunning ? RECONCILE_MS : IDLE_LOOP_MS
}

export function dispatchIntervalMs({ hasOpenOrder, isRunning, isAlone }: LoopState): number {
  if (isRunning) return DISPATCH_MS
  if (!hasOpenOrder) return IDLE_LOOP_MS
  return isAlone ? DISPATCH_ALONE_MS : DISPATCH_MS
}

export type PollDepth =
  /** Nothing is read: the block is on record, and nothing else is due. */
  | 'unchanged'
  /** Nothing is read: the chain is idle, and its blocks are recorded later. */
  | 'postponed'
  | 'full'

export type DepthState = {
  readonly memory: Pick<PollMemory, 'cursor' | 'leasedAtMs' | 'recordedAtMs' | 'refreshedAtMs' | 'finalReadAtMs'>
  readonly list: Pick<WatchList, 'hasOpen' | 'hasDeposits' | 'expectsUnconfirmed'>
  readonly pollMs: number
  readonly hasFinalityTag: boolean
  readonly hasMempool: boolean
  readonly isBackground: boolean
}

export function pollDepth(s: DepthState, tip: Pick<Block, 'height' | 'hash'>, nowMs: number): PollDepth {
  const { memory, list } = s
  const isUnchanged =
    memory.cursor?.hash === tip.hash &&
    !isLeaseDue(memory, nowMs) &&
    !isListDue(memory, nowMs) &&
    !isFinalityDue(s, nowMs) &&
    !(s.hasMempool && list.expectsUnconfirmed)
  if (isUnchanged) return 'unchanged'
  return mayPostpone(s, tip, nowMs) ? 'postponed' : 'full'
}

/** A poll is postponed if no order is open, no action awaits it, and this block is no sign of a reorg. */
export function mayPostpone(
  { memory: { cursor, recordedAtMs, refreshedAtMs }, list, isBackground }: Pick<DepthState, 'memory' | 'list' | 'isBackground'>,
  tip: Pick<Block, 'height' | 'hash'>,
  nowMs: number,
): boolean {
  if (!isBackground || list.hasOpen || cursor === null || (tip.height <= cursor.height && tip.hash !== cursor.hash)) return false
  return nowMs - recordedAtMs < IDLE_RECORD_MS && nowMs - refreshedAtMs < IDLE_RECORD_MS
}

/**
 * When the quorum is due, the providers must agree on the newest block. In between, one provider at a time says whether there is a new one.
 */
export function isQuorumDue(agreed: NonNullable<PollMemory['agreed']>, nowMs: number): boolean {
  return agreed.singleReads >= MAX_SINGLE_READS || nowMs - agreed.atMs >= QUORUM_MS
}

export function isLeaseDue({ leasedAtMs }: Pick<PollMemory, 'leasedAtMs'>, nowMs: number): boolean {
  return nowMs - leasedAtMs >= WATCH_LEASE_RENEWAL_MS
}

/** This interval is for chains with an open order. Otherwise each full poll reads the list. */
export function isListDue({ refreshedAtMs }: Pick<PollMemory, 'refreshedAtMs'>, nowMs: number): boolean {
  return nowMs - refreshedAtMs >= WATCH_LIST_MS
}

export function isFinalityDue(
  { memory: { finalReadAtMs }, list, pollMs, hasFinalityTag }: Pick<DepthState, 'memory' | 'list' | 'pollMs' | 'hasFinalityTag'>,
  nowMs: number,
): boolean {
  if (!hasFinalityTag) return false
  if (finalReadAtMs === Number.NEGATIVE_INFINITY) return true
  return list.hasDeposits && nowMs - finalReadAtMs >= FINALITY_POLLS * pollMs
}

export function isMempoolBackingOff({ mempoolFailedAtMs }: Pick<PollMemory, 'mempoolFailedAtMs'>, nowMs: number): boolean {
  return mempoolFailedAtMs !== null && nowMs - mempoolFailedAtMs < MEMPOOL_BACKOFF_MS
}

/** `answerMs` is the time that the newest block took. A poll that an action awaits must end while its facts are fresh. */
export function mempoolWaitMs(isBackground: boolean, answerMs: number): number {
  return isBackground ? MAX_MEMPOOL_WAIT_MS : Math.min(Math.max(MIN_MEMPOOL_WAIT_MS, answerMs * MEMPOOL_WAIT_ANSWERS), MAX_MEMPOOL_WAIT_MS)
}
