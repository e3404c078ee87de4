/** Polls one chain again and again. Actions that need the state of this moment share a poll instead of reading the chain themselves. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcEvent, SwapId } from '@tandem/protocol/htlc.ts'
import type { Logger } from 'pino'
import type { Database } from '../store/database/database.ts'
import { createFinalGuard, type FinalGuard } from './final-guard.ts'
import type { Leases } from './leases.ts'
import { createLoop } from './loop.ts'
import { isAnnounced, isStandby, mayWake, nextPoll, type PollState } from './pace.ts'
import { createPollMemory, type PollMemory } from './poll-memory.ts'
import { createPollPublisher } from './poll-publisher.ts'
import { ACTIVE_MS, IDLE_POLL_MS, LEASE_SECONDS, POLL_COOLDOWN_MS } from './times.ts'
import { createWakeThrottle } from './wake-throttle.ts'
import { createWatchList, type WatchList } from './watch-list.ts'
import { type PollResult, pollChain, type Reorg, watchLease } from './watcher.ts'

/** A poll that reached the newest block. Everything up to it is recorded, and it was the newest after the poll began. */
export type FreshPoll = {
  readonly tip: Block
  /** By `performance.now()`. */
  readonly beganAtMs: number
}

export interface FreshPolls {
  /**
   * The last poll if it is not older than `maxAgeMs`; else the one in progress, or the next one, which begins at once. Rejects with a `ChainFailure`
   * if that poll fails. Null if it records nothing up to the newest block: another process watches the chain, there is a reorg, or much to catch up with.
   */
  fresh(maxAgeMs: number): Promise<FreshPoll | null>
  /** What the polls have read of this swap from the chain, never from the database. Of the chain up to the last fresh poll; not necessarily all. */
  seen(swapId: SwapId): readonly HtlcEvent[]
  /** How long recent polls took, the slowest of the last few. */
  readonly tookMs: number
}

export interface ChainWatcher extends FreshPolls {
  /** Poll soon, if an order is open on this chain and its nodes do not announce blocks. Throttled, however often it is called. */
  hint(): void
  /** An order may have been written: if it is on this chain, watch it at once. */
  expectOrders(): void
  /** A swap is in progress: poll at the full pace for a while. */
  noteActivity(): void
  /** The process that watched the chain has ended: take its place now. */
  takeOver(): void
  /** Records nothing more and takes no lease. Resolves when the poll in progress has ended. */
  stop(): Promise<void>
  /** Its nodes announce new blocks: hints about it are ignored. */
  readonly isAnnounced: boolean
  /** This process watches the chain: it holds the lease. False while no order is open, and nobody needs to. */
  readonly isWatching: boolean
  /** An order with a swap on this chain is open, or may be: the list was not read since one was written. */
  readonly mayBeOpen: boolean
  /** When the chain last answered with the history that we know, by `Date.now()`; 0: never. */
  readonly answeredAtMs: number
  readonly status: WatcherStatus
}

/** What this process knows of a chain, for its operator. */
export type WatcherStatus = {
  /** The newest block that was seen; null before the first. */
  readonly tip: Block | null
  /** The newest block whose events are on record, if this process recorded it. */
  readonly recordedHeight: bigint | null
  /** Another process of the database records this chain. */
  readonly isLeasedElsewhere: boolean
  /** Why the chain cannot be read, or is halted; null while it can be read. */
  readonly problem: string | null
}

export type ChainWatcherOptions = {
  readonly db: Database
  readonly client: ChainClient
  readonly leases: Leases
  readonly log: Logger
  /** No other process on this database could read a published poll. */
  readonly isAlone?: () => boolean
  /** States may have changed. */
  readonly onChange: () => void
  /** Events were recorded. */
  readonly onEvents: () => void
  /** A reorg replaced blocks. */
  readonly onReorg?: (reorg: Reorg) => void
}

/** A poll that several actions may await. */
type AwaitedPoll = {
  beganAtMs: number
  readonly outcome: Promise<Outcome>
  end(outcome: Outcome): void
}
type Outcome = { readonly poll: FreshPoll | null } | { readonly failure: ChainFailure }

type WatcherState = {
  /** Why the last poll failed; null: it did not. */
  problem: string | null
  tip: Block | null
  /** The list may lack an order that was just written. */
  isListStale: boolean
  polledAtMs: number
  announcedAtMs: number
  activeUntilMs: number
  answeredAtMs: number
  tookMs: number
  last: FreshPoll | null
  current: AwaitedPoll | null
  /** Actions await the next poll. */
  next: AwaitedPoll | null
  isStopped: boolean
}

/** A watcher: what it works with, and its state. */
type Watching = ChainWatcherOptions & {
  readonly list: WatchList
  readonly guard: FinalGuard
  readonly memory: PollMemory
  readonly state: WatcherState
  readonly publish: (poll: FreshPoll) => Promise<void>
}

export function startChainWatcher(options: ChainWatcherOptions): ChainWatcher {
  const { db, client, log } = options
  const { id: chain, pollMs } = client.chain
  const throttle = createWakeThrottle(pollMs, () => loop.wake())
  const watching: Watching = {
    ...options,
    list: createWatchList(db, client.chain),
    guard: createFinalGuard((what) => log.error({ chain }, what)),
    memory: createPollMemory(),
    state: createState(),
    publish: createPollPublisher(db, chain),
    onEvents() {
      throttle.giveBack()
      options.onEvents()
    },
  }
  const { list, memory, state } = watching
  const loop = createLoop({
    intervalMs: () => nextPoll(pollStateOf(watching), performance.now()).afterMs,
    cooldownMs: POLL_COOLDOWN_MS,
    run: () => runPoll(watching),
    onError: (error) => noteFailure(watching, error),
  })
  const wakeBy = (cause: 'hint' | 'block') => {
    if (mayWake(cause, pollStateOf(watching), performance.now())) throttle.wake()
  }
  const isOnStandby = () => isStandby(pollStateOf(watching), performance.now())
  const noteActivity = () => {
    state.activeUntilMs = performance.now() + ACTIVE_MS
  }
  const awaitNext = () => {
    state.next ??= createAwaitedPoll()
    loop.wake()
    return state.next
  }
  const unsubscribe = client.newBlocks?.(() => {
    state.announcedAtMs = performance.now()
    wakeBy('block')
  })

  return {
    hint: () => wakeBy('hint'),
    expectOrders() {
      state.isListStale = true
      if (!expectsAll(watching)) memory.refreshedAtMs = Number.NEGATIVE_INFINITY
      if (!list.hasOpen && !isOnStandby()) loop.wake()
    },
    noteActivity,
    get isAnnounced() {
      return isAnnounced(pollStateOf(watching), performance.now())
    },
    get isWatching() {
      return performance.now() - memory.leasedAtMs < LEASE_SECONDS * 1000
    },
    get mayBeOpen() {
      return state.isListStale || list.hasOpen
    },
    get tookMs() {
      return state.tookMs
    },
    get answeredAtMs() {
      return state.answeredAtMs
    },
    get status() {
      const { tip, problem } = state
      return { tip, recordedHeight: memory.cursor?.height ?? null, isLeasedElsewhere: memory.isLeasedElsewhere, problem }
    },
    async fresh(maxAgeMs) {
      noteActivity()
      const { last, current, isStopped } = state
      if (isYoung(last, maxAgeMs)) return last
      if (isStopped || isOnStandby()) return null
      const awaited = current !== null && isYoung(current, maxAgeMs) ? current : awaitNext()
      const outcome = await awaited.outcome
      if ('failure' in outcome) throw outcome.failure
      return outcome.poll
    },
    takeOver() {
      if (!memory.isLeasedElsewhere || state.isStopped) return
      memory.isLeasedElsewhere = false
      loop.wake()
    },
    seen: memory.seen.of,
    async stop() {
      state.isStopped = true
      unsubscribe?.()
      throttle.stop()
      await loop.stop()
      state.next?.end({ poll: null })
    },
  }
}

function createState(): WatcherState {
  const never = Number.NEGATIVE_INFINITY
  return {
    problem: null,
    tip: null,
    isListStale: true,
    polledAtMs: never,
    announcedAtMs: never,
    activeUntilMs: never,
    answeredAtMs: 0,
    tookMs: 0,
    last: null,
    current: null,
    next: null,
    isStopped: false,
  }
}

function createAwaitedPoll(): AwaitedPoll {
  let end: AwaitedPoll['end'] = () => undefined
  const outcome = new Promise<Outcome>((resolve) => {
    end = resolve
  })
  return { beganAtMs: Number.NEGATIVE_INFINITY, outcome, end }
}

function isYoung(poll: { readonly beganAtMs: number } | null, maxAgeMs: number): boolean {
  return poll !== null && performance.now() - poll.beganAtMs <= maxAgeMs
}

function pollStateOf({ client: { chain }, list, memory, state }: Watching): PollState {
  return {
    pollMs: chain.pollMs,
    blockMs: chain.blockMs,
    isFailing: state.problem !== null,
    isLeasedElsewhere: memory.isLeasedElsewhere,
    hasOpenOrder: list.hasOpen,
    isListStale: state.isListStale,
    polledAtMs: state.polledAtMs,
    announcedAtMs: state.announcedAtMs,
    activeUntilMs: state.activeUntilMs,
  }
}

/** Another order changes nothing of what is expected of the chain, and whether a swap is watched is asked with its events: the list need not be read. */
function expectsAll({ client, list }: Watching): boolean {
  return list.hasOpen && (client.unconfirmedEvents === undefined || list.expectsUnconfirmed)
}

/** A poll in the background was woken for an order of another chain: this chain need not be asked. */
async function isStillIdle({ list, memory, state }: Watching): Promise<boolean> {
  if (!state.isListStale || state.problem !== null || memory.cursor === null || list.hasOpen) return false
  state.isListStale = false
  await list.refresh()
  return !list.hasOpen && performance.now() - state.polledAtMs < IDLE_POLL_MS
}

/** Resolves true when there is more to catch up with. */
async function runPoll(watching: Watching): Promise<boolean> {
  const { memory, state } = watching
  const isBackground = state.next === null
  const awaited = state.next ?? createAwaitedPoll()
  state.next = null
  state.current = awaited
  try {
    if (!isBackground || !(await isStillIdle(watching))) return await poll(watching, awaited, isBackground)
    awaited.end({ poll: null })
    return false
  } catch (error) {
    state.last = null
    // Given up: see `Leases.whileRenewed`.
    memory.leasedAtMs = Number.NEGATIVE_INFINITY
    // Anything but a failure of the node shows when the chain is read again for the action.
    awaited.end(error instanceof ChainFailure ? { failure: error } : { poll: null })
    throw error
  } finally {
    state.current = null
  }
}

async function poll(watching: Watching, awaited: AwaitedPoll, isBackground: boolean): Promise<boolean> {
  const { client, list, log, state, isAlone, onChange, publish } = watching
  const beganAtMs = performance.now()
  awaited.beganAtMs = beganAtMs
  state.polledAtMs = beganAtMs
  state.isListStale = false
  const { current, changed, behind } = await pollLeased(watching, isBackground)
  // A poll with a new block takes longer than one without, and the next may be either.
  state.tookMs = Math.max(performance.now() - beganAtMs, state.tookMs / 2)
  const last = current === null ? null : { tip: current, beganAtMs }
  state.last = last
  awaited.end({ poll: last })
  state.answeredAtMs = Date.now()
  if (state.problem !== null) log.info({ chain: client.chain.id }, 'chain is back')
  state.problem = null
  if (changed) onChange()
  if (last !== null && list.hasOpen && isAlone?.() !== true) await publish(last)
  return behind
}

/** `current`: everything up to this block is recorded, and it was the newest after the poll began. */
async function pollLeased(watching: Watching, isBackground: boolean): Promise<PollResult & { readonly current: Block | null }> {
  const { db, client, leases, list, guard, memory, state, log, onEvents } = watching
  const chain = client.chain.id
  const found: { current: Block | null } = { current: null }
  const result = await leases.whileRenewed(watchLease(chain), () =>
    pollChain({
      db,
      client,
      holder: leases.holder,
      list,
      guard,
      memory,
      isBackground,
      mayLease: () => !state.isStopped,
      onTip(block) {
        state.tip = block
      },
      onCurrent(block) {
        found.current = block
      },
      onEvents,
      onMempool(failure) {
        if (failure === null) log.info({ chain }, 'the mempool can be read again')
        else log.warn({ chain, err: failure }, 'cannot read the mempool; blocks are recorded without it')
      },
      onReorg({ from, to, blocks, counted }) {
        log.warn({ chain, from, to, blocks, deposits: counted.length }, 'reorg: blocks removed')
        watching.onReorg?.({ blocks, counted })
      },
    }),
  )
  return { ...result, ...found }
}

function noteFailure({ client, log, state }: Watching, error: unknown): void {
  if (state.problem === null && !state.isStopped) log.warn({ chain: client.chain.id, err: error }, 'cannot read chain; will retry')
  state.problem = error instanceof Error ? error.message : String(error)
}
