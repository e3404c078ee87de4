/** Polls one chain again and again. Actions that need the state of this moment share a poll instead of reading the chain themselves. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcEvent, SwapId } from '@tandem/protocol/htlc.ts'
import type { Logger } from 'pino'
import { publishPoll, readClock } from '../store/chain/polls.ts'
import type { Database } from '../store/database/database.ts'
import { createFinalGuard } from './final-guard.ts'
import { LEASE_SECONDS, type Leases } from './leases.ts'
import { createLoop } from './loop.ts'
import { createPollMemory } from './poll-memory.ts'
import { createWakeLimit } from './wake-limit.ts'
import { createWatchList } from './watch-list.ts'
import { pollChain, type Reorg, watchLease } from './watcher.ts'

/** A poll that reached the newest block. Everything up to it is recorded, and it was the newest after the poll began. */
export type FreshPoll = {
  readonly tip: Block
  /** By `performance.now()`. */
  readonly beganAtMs: number
}

export interface FreshPolls {
  /**
   * The last poll if it began at most so long ago; else the one in progress, or the next one, which begins at once. Rejects with a `ChainFailure`
   * if that poll fails. Null if it records nothing up to the newest block: another process watches the chain, there is a reorg, or much to catch up with.
   */
  fresh(maxAgeMs: number): Promise<FreshPoll | null>
  /** What the polls have read of this swap from the chain, never from the database. Of the chain up to the last fresh poll; not necessarily all. */
  seen(swapId: SwapId): readonly HtlcEvent[]
  /** How long recent polls took, the slowest of the last few. */
  readonly tookMs: number
}

export interface ChainWatcher extends FreshPolls {
  /** Poll soon, if an order is open on this chain and its nodes do not say themselves when there is a block. Bounded, however often it is called. */
  hint(): void
  /** An order may have been written: if it is on this chain, watch it at once. */
  expectNews(): void
  /** A swap is in progress: poll at the full pace for a while. */
  hurry(): void
  /** The process that watched the chain has ended: take its place now. */
  takeOver(): void
  /** Records nothing more and takes no lease. Resolves when the poll in progress has ended. */
  stop(): Promise<void>
  /** Its nodes say when there is a block: hints about it are ignored. */
  readonly isToldOfBlocks: boolean
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
  /** A reorg certainly replaced so many of the newest blocks. */
  readonly onReorg?: (reorg: Reorg) => void
}

/** Between two polls, however often it is woken. */
const REST_MS = 20
/** Another process reads a published poll if it is not much older than this. */
const PUBLISH_MS = 500
/** Nodes that told of a block within this time will tell of the next one: hints about the chain are not needed. */
const LEAST_LIVE_MS = 30_000
const LIVE_BLOCKS = 3
/** Clocks are read in parts of a millisecond. */
const CLOCK_ERROR_MS = 1

/** The pace while no order is open: a late deposit to a finished order can wait. */
const IDLE_MS = 10_000
/** While another process watches: how soon we notice that it is gone. */
const STANDBY_MS = 2000
/**
 * A chain is polled so much less often while its nodes tell of new blocks, and, if it has several blocks in a poll interval, without news of its swaps:
 * a user's deposit is then seen up to so many intervals later.
 */
const WAITING_FACTOR = 5
/** Blocks that come faster wake no poll while a chain only waits for a deposit. */
const FAST_BLOCK_MS = 1000
/** The full pace lasts so long after the last news. */
const HURRY_MS = 60_000

type Outcome = { readonly poll: FreshPoll | null } | { readonly failure: ChainFailure }

export function startChainWatcher(options: ChainWatcherOptions): ChainWatcher {
  const { db, client, leases, log, isAlone = () => false, onChange, onEvents } = options
  const chain = client.chain.id
  const list = createWatchList(db, client.chain)
  const guard = createFinalGuard((what) => log.error({ chain }, what))
  const memory = createPollMemory()
  const { pollMs, blockMs } = client.chain
  const wakeLimit = createWakeLimit(pollMs)
  let failing = false
  let problem: string | null = null
  let seen: Block | null = null
  /** The list may lack an order that was just written. */
  let isListOld = true
  let hurryUntilMs = 0
  let polledAtMs = Number.NEGATIVE_INFINITY
  let toldAtMs = Number.NEGATIVE_INFINITY
  let stopped = false
  let answeredAtMs = 0
  let last: FreshPoll | null = null
  let current: Run | null = null
  let next: Run | null = null
  let tookMs = 0
  let published: { readonly atMs: number; readonly clock: number } | null = null

  /** No swap is in progress on a chain with several blocks in a poll interval. */
  const isWaiting = () => blockMs < BigInt(pollMs) && performance.now() >= hurryUntilMs
  const isToldOfBlocks = () => performance.now() - toldAtMs <= Math.max(LEAST_LIVE_MS, Number(blockMs) * LIVE_BLOCKS)

  /** Another order changes nothing of what is expected of the chain, and whether a swap is watched is asked with its events: the list need not be read. */
  const expectsAll = () => list.hasOpen && (client.unconfirmedEvents === undefined || list.expectsUnconfirmed)

  /** Another process watches the chain. Until the next regular poll nothing that happens there is news for this one: it reads what the other records. */
  const isStandby = () => memory.isLeasedElsewhere && !failing && performance.now() - polledAtMs < STANDBY_MS

  function intervalMs(): number {
    if (failing) return pollMs
    if (memory.isLeasedElsewhere) return Math.max(pollMs, STANDBY_MS)
    if (!list.hasOpen) return Math.max(pollMs, IDLE_MS)
    return isToldOfBlocks() || isWaiting() ? pollMs * WAITING_FACTOR : pollMs
  }

  /** Woken for an order of another chain: the chain need not be asked. */
  async function isStillIdle(): Promise<boolean> {
    if (!isListOld || failing || memory.cursor === null || list.hasOpen) return false
    isListOld = false
    await list.refresh()
    return !list.hasOpen && performance.now() - polledAtMs < IDLE_MS
  }

  async function poll(run: Run, mayRest: boolean): Promise<boolean> {
    if (mayRest && (await isStillIdle())) {
      run.end({ poll: null })
      return false
    }
    const beganAtMs = performance.now()
    run.beganAtMs = beganAtMs
    polledAtMs = beganAtMs
    isListOld = false
    let tip: Block | null = null
    const { changed, behind } = await leases.whileRenewed(watchLease(chain), () =>
      pollChain({
        db,
        client,
        holder: leases.holder,
        list,
        guard,
        memory,
        mayRest,
        mayLease: () => !stopped,
        onTip(block) {
          seen = block
        },
        onCurrent(block) {
          tip = block
        },
        onEvents() {
          wakeLimit.giveBack()
          onEvents()
        },
        onMempool(failure) {
          if (failure === null) log.info({ chain }, 'the mempool can be read again')
          else log.warn({ chain, err: failure }, 'cannot read the mempool; blocks are recorded without it')
        },
        onReorg({ from, to, blocks, counted }) {
          log.warn({ chain, from, to, blocks, deposits: counted.length }, 'reorg: blocks removed')
          options.onReorg?.({ blocks, counted })
        },
      }),
    )
    // A poll with a new block takes longer than one without, and the next may be either.
    tookMs = Math.max(performance.now() - beganAtMs, tookMs / 2)
    last = tip === null ? null : { tip, beganAtMs }
    run.end({ poll: last })
    answeredAtMs = Date.now()
    if (failing) log.info({ chain }, 'chain is back')
    failing = false
    problem = null
    if (changed) onChange()
    if (last !== null && list.hasOpen && !isAlone()) await publish(last)
    return behind
  }

  /** The time of the database when the poll began is computed from an earlier answer of it, so it is never later than the truth. */
  async function publish({ tip, beganAtMs }: FreshPoll): Promise<void> {
    const nowMs = performance.now()
    if (published !== null && nowMs - published.atMs < PUBLISH_MS) return
    const known = published
    if (known === null || known.atMs > beganAtMs) {
      const clock = await readClock(db)
      published = { atMs: performance.now(), clock }
      return
    }
    const beganAt = known.clock + (beganAtMs - known.atMs) - CLOCK_ERROR_MS
    const clock = await publishPoll(db, chain, { hash: tip.hash, beganAt })
    published = { atMs: performance.now(), clock }
  }

  const loop = createLoop({
    intervalMs,
    restMs: REST_MS,
    async run() {
      const mayRest = next === null
      const run = next ?? createRun()
      next = null
      current = run
      try {
        return await poll(run, mayRest)
      } catch (error) {
        last = null
        // Given up: see `Leases.whileRenewed`.
        memory.leasedAtMs = Number.NEGATIVE_INFINITY
        // Anything but a failure of the node shows when the chain is read again for the action.
        run.end(error instanceof ChainFailure ? { failure: error } : { poll: null })
        throw error
      } finally {
        current = null
      }
    },
    onError(error) {
      if (!failing && !stopped) log.warn({ chain, err: error }, 'cannot read chain; will retry')
      failing = true
      problem = error instanceof Error ? error.message : String(error)
    },
  })

  function nextRun(): Run {
    next ??= createRun()
    loop.wake()
    return next
  }

  const wake = () => {
    if (isStandby() || (!isListOld && !list.hasOpen)) return
    if (wakeLimit.allows()) loop.wake()
    // The next regular poll may be far away.
    else lateWake ??= setTimeout(wakeLate, pollMs)
  }
  let lateWake: NodeJS.Timeout | null = null
  const wakeLate = () => {
    lateWake = null
    loop.wake()
  }
  const unsubscribe = client.newBlocks?.(() => {
    toldAtMs = performance.now()
    if (Number(blockMs) >= FAST_BLOCK_MS || !isWaiting()) wake()
  })

  return {
    hint() {
      if (!isToldOfBlocks()) wake()
    },
    expectNews() {
      isListOld = true
      if (!expectsAll()) memory.refreshedAtMs = Number.NEGATIVE_INFINITY
      if (!list.hasOpen && !isStandby()) loop.wake()
    },
    hurry() {
      hurryUntilMs = performance.now() + HURRY_MS
    },
    get isToldOfBlocks() {
      return isToldOfBlocks()
    },
    get isWatching() {
      return performance.now() - memory.leasedAtMs < LEASE_SECONDS * 1000
    },
    get mayBeOpen() {
      return isListOld || list.hasOpen
    },
    get tookMs() {
      return tookMs
    },
    get answeredAtMs() {
      return answeredAtMs
    },
    get status() {
      return { tip: seen, recordedHeight: memory.cursor?.height ?? null, isLeasedElsewhere: memory.isLeasedElsewhere, problem }
    },
    async fresh(maxAgeMs) {
      const isFresh = (one: { readonly beganAtMs: number } | null) => one !== null && performance.now() - one.beganAtMs <= maxAgeMs
      hurryUntilMs = performance.now() + HURRY_MS
      if (isFresh(last)) return last
      if (stopped || isStandby()) return null
      const run = current !== null && isFresh(current) ? current : nextRun()
      const outcome = await run.outcome
      if ('failure' in outcome) throw outcome.failure
      return outcome.poll
    },
    takeOver() {
      if (!memory.isLeasedElsewhere || stopped) return
      memory.isLeasedElsewhere = false
      loop.wake()
    },
    seen: memory.seen.of,
    async stop() {
      stopped = true
      unsubscribe?.()
      if (lateWake !== null) clearTimeout(lateWake)
      await loop.stop()
      next?.end({ poll: null })
    },
  }
}

type Run = {
  beganAtMs: number
  readonly outcome: Promise<Outcome>
  end(outcome: Outcome): void
}

function createRun(): Run {
  let end: Run['end'] = () => undefined
  const outcome = new Promise<Outcome>((resolve) => {
    end = resolve
  })
  return { beganAtMs: Number.NEGATIVE_INFINITY, outcome, end }
}
