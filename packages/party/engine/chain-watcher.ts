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

/** A poll that reached the newest block: everything up to `tip` is recorded, and `tip` was the newest block after the poll began. */
export type FreshPoll = {
  readonly tip: Block
  /** A time by `performance.now()`. */
  readonly beganAtMs: number
}

export interface FreshPolls {
  /**
   * Returns the last poll if it is not older than `maxAgeMs`, else the one in progress, or the next one, which begins at once. Rejects with
   * a `ChainFailure` if that poll fails. Returns null if the poll records nothing up to the newest block: another process watches the
   * chain, there is a reorg, or the chain is far behind.
   */
  fresh(maxAgeMs: number): Promise<FreshPoll | null>
  /** The polls read these events from the chain, never from the database. They may be incomplete after the last fresh poll. */
  seen(swapId: SwapId): readonly HtlcEvent[]
  readonly tookMs: number
}

export interface ChainWatcher extends FreshPolls {
  /** Polls soon if an order is open on this chain and its nodes do not announce blocks. Calls are throttled. */
  hint(): void
  expectOrders(): void
  noteActivity(): void
  /** Call this when the process that watched the chain has ended. */
  takeOver(): void
  /** From now on nothing is recorded and no lease is taken. Resolves when the poll in progress has ended. */
  stop(): Promise<void>
  /** The nodes announce new blocks, so hints about the chain are ignored. */
  readonly isAnnounced: boolean
  /** This process holds the lease of the chain. It is false while no order is open, because nobody needs to watch then. */
  readonly isWatching: boolean
  /** An order on this chain is open, or one was written since the watch list was read. */
  readonly mayBeOpen: boolean
  /** The time by `Date.now()` at which the chain last answered with the history that we know. 0 means never. */
  readonly answeredAtMs: number
  readonly status: WatcherStatus
}

export type WatcherStatus = {
  readonly tip: Block | null
  /** The newest block whose events this process recorded. */
  readonly recordedHeight: bigint | null
  readonly isLeasedElsewhere: boolean
  /** The reason why the chain cannot be read or is halted; null while it can be read. */
  readonly problem: string | null
}

export type ChainWatcherOptions = {
  readonly db: Database
  readonly client: ChainClient
  readonly leases: Leases
  readonly log: Logger
  readonly isAlone?: () => boolean
  readonly onChange: () => void
  readonly onEvents: () => void
  readonly onReorg?: (reorg: Reorg) => void
}

type AwaitedPoll = {
  beganAtMs: number
  readonly outcome: Promise<Outcome>
  end(outcome: Outcome): void
}
type Outcome = { readonly poll: FreshPoll | null } | { readonly failure: ChainFailure }

type WatcherState = {
  /** The reason why the last poll failed; null after a success. */
  problem: string | null
  tip: Block | null
  isListStale: boolean
  polledAtMs: number
  announcedAtMs: number
  activeUntilMs: number
  answeredAtMs: number
  tookMs: number
  last: FreshPoll | null
  current: AwaitedPoll | null
  next: AwaitedPoll | null
  isStopped: boolean
}

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

/** A further order changes nothing that is expected of the chain, so the list need not be read. */
function expectsAll({ client, list }: Watching): boolean {
  return list.hasOpen && (client.unconfirmedEvents === undefined || list.expectsUnconfirmed)
}

/** A background poll was woken for an order of another chain, so this chain need not be read. */
async function isStillIdle({ list, memory, state }: Watching): Promise<boolean> {
  if (!state.isListStale || state.problem !== null || memory.cursor === null || list.hasOpen) return false
  state.isListStale = false
  await list.refresh()
  return !list.hasOpen && performance.now() - state.polledAtMs < IDLE_POLL_MS
}

/** Resolves to true when there is more to backfill. */
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
    // The lease was given up: see `Leases.whileRenewed`.
    memory.leasedAtMs = Number.NEGATIVE_INFINITY
    // Any error but a failure of the node shows when the chain is read again for the action.
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

/** `current` is the newest block after the poll began; everything up to it is recorded. */
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
