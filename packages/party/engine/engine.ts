/** The loop: chain → watcher → reconciler → executor → chain. The same for both parties. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import type { Logger } from 'pino'
import type { LeasedAction } from '../store/actions/actions.ts'
import type { ActionResult } from '../store/actions/finish-action.ts'
import type { Database } from '../store/database/database.ts'
import { openSignals } from '../store/database/signals.ts'
import { executeInTime } from './action-deadline.ts'
import { createAdmission, tellOverload } from './admission.ts'
import type { ChainStatus } from './chain-status.ts'
import { type ChainWatcher, type FreshPolls, startChainWatcher } from './chain-watcher.ts'
import { createDueChains } from './due-chains.ts'
import { reportOf } from './engine-report.ts'
import { CHAIN, DERIVED, FREE, ORDERS, takeSignal } from './engine-signals.ts'
import type { DifferenceReport } from './evidence/differences.ts'
import { createSpendCheck } from './evidence/spend-check.ts'
import { backoffMs } from './executor.ts'
import { createLeases } from './leases.ts'
import { createLoop } from './loop.ts'
import { createNews } from './news.ts'
import { expireOrderList, repairOrderList } from './order-list.ts'
import type { Party } from './party.ts'
import { ALL_SHARDS, reconcile } from './reconciler.ts'
import { createShards } from './shards.ts'
import { createSlots } from './slots.ts'
import { createSweeper } from './sweeper.ts'
import {
  CHAIN_SILENCE_MS,
  DISPATCH_ALONE_MS,
  DISPATCH_MS,
  EXPIRE_LIST_MS,
  IDLE_LOOP_MS,
  LEASE_RENEWAL_MS,
  READY_POLL_MS,
  READY_TIMEOUT_MS,
  RECONCILE_ALL_CHAINS_MS,
  RECONCILE_COOLDOWN_MS,
  RECONCILE_MS,
  REPAIR_LIST_MS,
  STANDBY_DISPATCH_MS,
  SWEEP_RETRY_MS,
} from './times.ts'
import { createWaits } from './waits.ts'
import type { Reorg } from './watcher.ts'

export interface Engine {
  /** A new order was written: watch its chains. Nothing is to be reconciled before something happens there. */
  expectOrders(chains: Iterable<ChainId>): void
  /** Something was written about an order, e.g. a grant: reconcile now. */
  wake(): void
  /** Something may have happened on this chain: poll it now. Unknown chains are ignored. */
  wakeChain(chain: ChainId): void
  /** The chains whose nodes say when there is a block: nobody needs to wake them. */
  announcedChains(): readonly ChainId[]
  /** Resolves when every chain was read once, or after a timeout: a chain that is down must not block the others. */
  ready(): Promise<void>
  /** The chain answered recently, with the history that we know. */
  chainHealthy(chain: ChainId): boolean
  /** False: the work of existing orders waits too long, and this new quote or order is to be refused. */
  admits(what: 'quote' | 'order'): boolean
  /** What this process knows of each chain, for its operator. */
  chainStatus(chain: ChainId): ChainStatus | null
  /** Polls of the watchers, for whoever else needs current facts. */
  readonly polls: ReadonlyMap<ChainId, FreshPolls>
  /**
   * Leaves all work to other engines at once: leases and keys are free, also while a node is still asked. An action in progress is left where it is:
   * whatever may be with a node is on record.
   */
  handOver(): Promise<void>
  /** The same, and resolves when everything has ended. What waits for a node ends when its connection is closed. */
  stop(): Promise<void>
}

export type EngineOptions = {
  readonly db: Database
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly party: Party
  readonly log: Logger
  readonly now: () => bigint
  /** This process sent a transaction on the chain, or saw an event there: for the other party, who may poll it early. */
  readonly onActivity?: (chain: ChainId) => void
  /** A reorg certainly replaced so many of the newest blocks. */
  readonly onReorg?: (chain: ChainId, reorg: Reorg) => void
  /** An action was tried: how it ended, and how long it took. */
  readonly onAction?: (action: LeasedAction, outcome: ActionResult['kind'], ms: number) => void
  /** Told when the database and a chain differ. */
  readonly onDifferences?: (report: DifferenceReport) => void
  /** Orders were derived, by this process or another one of the database: their status may have changed. */
  readonly onDerived?: () => void
}

export function startEngine(options: EngineOptions): Engine {
  const { db, registry, clients, party, log } = options
  const leases = createLeases(db, randomUUID())
  const shards = createShards(db, leases.holder, () => reportOf(waitMs(), [...clients.keys()], chainStatus))

  const slots = createSlots(() => dispatchSoon())
  const [reconcileWaits, dispatchWaits] = [createWaits(), createWaits()]
  const waitMs = () => Math.max(reconcileWaits.longestMs(), dispatchWaits.longestMs(), slots.fullMs(chainHealthy))
  const admission = createAdmission(waitMs, tellOverload(log))
  const wakeUps = new Set<NodeJS.Timeout>()
  function dispatchSoon(): void {
    dispatchNews.note()
    dispatcher.wake()
  }

  // First: the loops ask them.
  const watchers = new Map(
    [...clients].map(([chain, client]) => {
      const on = {
        onChange: () => onChangeOf(chain),
        onEvents: () => onEventsOf(chain),
        onReorg: (reorg: Reorg) => options.onReorg?.(chain, reorg),
      }
      return [chain, startChainWatcher({ db, client, leases, log, isAlone: shards.isAlone, ...on })]
    }),
  )

  let renewing = true
  const heartbeat = createLoop({
    intervalMs: LEASE_RENEWAL_MS,
    async run() {
      await leases.renew()
      renewing = true
      return false
    },
    onError(error) {
      if (renewing) log.warn({ err: error }, 'cannot renew leases; will retry')
      renewing = false
    },
  })
  const [reconcileNews, dispatchNews] = [createNews(), createNews()]
  /** Other engines watch the chains, and do what follows from what they see. This one does what it is woken for, and what they leave for a while. */
  const isStandby = () => !shards.isAlone() && ![...watchers.values()].some(({ isWatching }) => isWatching)
  const isResting = () => slots.isIdle && ![...watchers.values()].some(({ mayBeOpen }) => mayBeOpen)
  let isAllTaken = false
  let dispatchedAtMs = performance.now()
  const dispatcher = createLoop({
    intervalMs: () => (isResting() ? IDLE_LOOP_MS : slots.isIdle && shards.isAlone() ? DISPATCH_ALONE_MS : DISPATCH_MS),
    async run() {
      const beganAtMs = performance.now()
      const query = slots.query()
      if (query.limit === 0) return false
      const actions = await dispatchNews.serve((isNews) =>
        leases.several(isStandby() && !isNews ? { ...query, lateMs: STANDBY_DISPATCH_MS } : query),
      )
      for (const action of actions) slots.run(action.chains[action.leg], () => perform(action))
      // If the last pass left nothing, all that it did not find was not free, e.g. leased by a process that died: it did not wait for us.
      const mostMs = isAllTaken ? Number.POSITIVE_INFINITY : performance.now() - dispatchedAtMs
      const waited = actions.map(({ waitedMs }) => Math.min(waitedMs, mostMs))
      isAllTaken = actions.length === query.limit
      dispatchedAtMs = beganAtMs
      // The most overdue ones are taken first: the rest has waited less than these.
      dispatchWaits.end(Math.max(0, ...waited), isAllTaken ? Math.min(...waited) : null)
      return isAllTaken
    },
    onError: (error) => log.error({ err: error }, 'dispatcher failed'),
  })
  const stopping = new AbortController()
  const spends = createSpendCheck({ ...options, polls: watchers, stopping: stopping.signal })
  const reconciling = {
    ...options,
    party: {
      role: party.role,
      onReconciled(states: readonly OrderState[]) {
        spends.check(states)
        return party.onReconciled?.(states) ?? new Map<string, number>()
      },
    },
  }
  const dueChains = createDueChains(RECONCILE_ALL_CHAINS_MS)
  let newestMark: bigint | null = null
  const reconciler = createLoop({
    intervalMs: () => (isResting() ? IDLE_LOOP_MS : RECONCILE_MS),
    cooldownMs: RECONCILE_COOLDOWN_MS,
    async run() {
      reconcileWaits.begin()
      const own = await shards.own()
      const pass = await reconcileNews.serve((isNews) =>
        dueChains.look((due) =>
          reconcile(reconciling, options.now(), {
            // Whoever sees a chain change derives all orders that are due by it. What time changes, the engines share.
            shards: due.chains === undefined ? own : ALL_SHARDS,
            ...(isStandby() && !isNews && newestMark !== null && { upToMark: newestMark }),
            ...due,
          }),
        ),
      )
      const { newlyWanted, more, derived } = pass
      newestMark = pass.newestMark
      reconcileWaits.end(reconcileWaits.currentMs(), more ? reconcileWaits.currentMs() : null)
      if (derived) tellOfDerived()
      if (newlyWanted) {
        dispatchWaits.begin()
        dispatchSoon()
      }
      return more
    },
    onError: (error) => log.error({ err: error }, 'reconciler failed'),
  })
  const { sweep } = createSweeper(options)
  let sweepInMs = SWEEP_RETRY_MS
  const sweeper = createLoop({
    intervalMs: () => sweepInMs,
    async run() {
      sweepInMs = await sweep(options.now(), await shards.own())
      return false
    },
    onError: (error) => log.error({ err: error }, 'sweeping the open orders failed'),
  })
  // In its own loop: rebuilding a long list is slow, and must not delay actions.
  const lister = createLoop({
    intervalMs: REPAIR_LIST_MS,
    async run() {
      // A solver serves no lists.
      if (party.role === 'service') await repairOrderList(db, registry, options.now(), stopping.signal)
      return false
    },
    onError: (error) => log.error({ err: error }, 'rebuilding the order list failed'),
  })
  const reconcileSoon = () => {
    reconcileWaits.begin()
    reconcileNews.note()
    reconciler.wake()
  }
  const expirer = createLoop({
    intervalMs: EXPIRE_LIST_MS,
    async run() {
      if (party.role === 'service') await expireOrderList(db, registry, options.now())
      return false
    },
    onError: (error) => log.error({ err: error }, 'expiring listed orders failed'),
  })
  const wakeHere = () => {
    watchNewOrders(watchers.keys())
    reconcileSoon()
  }
  const onSignals = {
    onOrders: watchNewOrders,
    onChain: (chain: ChainId) => watchers.get(chain)?.hint(),
    onDerived: () => options.onDerived?.(),
    onWake: wakeHere,
    onFree() {
      for (const watcher of watchers.values()) watcher.takeOver()
      reconcileSoon()
      dispatchSoon()
    },
  }
  const signals = openSignals(db, (signal) => takeSignal(signal, onSignals))

  /** Nobody hears a signal while this is the only process of the database. */
  function tellOthers(signal: string): void {
    if (!shards.isAlone() || shards.isFollowed()) signals.send(signal)
  }

  function tellOfDerived(): void {
    if (options.onDerived === undefined) return
    options.onDerived()
    tellOthers(DERIVED)
  }

  function watchNewOrders(chains: Iterable<ChainId>): void {
    for (const chain of chains) watchers.get(chain)?.expectOrders()
  }

  function chainHealthy(chain: ChainId): boolean {
    return Date.now() - (watchers.get(chain)?.answeredAtMs ?? 0) < CHAIN_SILENCE_MS
  }

  function chainStatus(chain: ChainId): ChainStatus | null {
    const watcher = watchers.get(chain)
    if (watcher === undefined) return null
    const { status, answeredAtMs, isAnnounced } = watcher
    const silentMs = answeredAtMs === 0 ? null : Math.max(0, Date.now() - answeredAtMs)
    return { ...status, isHealthy: chainHealthy(chain), silentMs, isAnnounced }
  }

  function onSent(chain: ChainId): void {
    wakeChain(chain)
    options.onActivity?.(chain)
  }

  /** Another process may be the one that polls it. If our nodes tell us of blocks, its nodes tell it: the block itself wakes it. */
  function wakeChain(chain: ChainId): void {
    const watcher = watchers.get(chain)
    if (watcher === undefined) return
    watcher.hint()
    if (!watcher.isWatching && !watcher.isAnnounced) tellOthers(`${CHAIN}${chain}`)
  }

  function onChangeOf(chain: ChainId): void {
    dueChains.changed(chain)
    reconcileSoon()
  }

  /** News of a swap on one chain will soon bring news on the chain of its other leg. */
  function onEventsOf(chain: ChainId): void {
    for (const watcher of watchers.values()) watcher.noteActivity()
    options.onActivity?.(chain)
  }

  /** For actions that are due before the dispatcher would look by itself. */
  function wakeIn(ms: number): void {
    if (ms >= DISPATCH_ALONE_MS || stopping.signal.aborted) return
    const timer = setTimeout(() => {
      wakeUps.delete(timer)
      dispatchSoon()
    }, ms)
    wakeUps.add(timer)
  }

  async function perform(action: LeasedAction): Promise<void> {
    const beganAtMs = performance.now()
    try {
      const result = await attempt(action)
      options.onAction?.(action, result.kind, performance.now() - beganAtMs)
      await leases.finish(action, result)
      if (result.kind === 'failed' || result.kind === 'skipped') wakeIn(result.againInMs)
    } catch (error) {
      // The lease has expired: the first engine that reaches the database leases the action again.
      log.error({ order: action.orderId, err: error }, 'could not record the result of an action')
    }
  }

  async function attempt(action: LeasedAction) {
    const about = { order: action.orderId, action: `${action.verb} ${action.leg}` }
    try {
      const result = await executeInTime({ ...options, leases, polls: watchers, onSent, stopping: stopping.signal }, action)
      if (result.kind === 'sent' && result.tx !== action.lastTx) log.info({ ...about, tx: result.tx }, 'sent')
      if (result.kind === 'cancelling') log.warn({ ...about, tx: result.tx }, 'no longer wanted: cancelling the unmined transaction')
      if (result.kind === 'failed')
        log.warn(
          { ...about, reason: result.error, failures: action.failures + (result.isExpected === true ? 0 : 1) },
          'action not possible yet; will retry',
        )
      return result
    } catch (error) {
      log.error({ ...about, err: error }, 'action failed unexpectedly; will retry')
      return {
        kind: 'failed',
        error: error instanceof Error ? error.message : String(error),
        againInMs: backoffMs(action.failures),
      } as const
    }
  }

  function expectOrders(chains: Iterable<ChainId>): void {
    const concerned = [...new Set(chains)]
    watchNewOrders(concerned)
    const others = concerned.filter((chain) => watchers.get(chain)?.isWatching !== true)
    if (others.length > 0) tellOthers(`${ORDERS}${others.join(' ')}`)
  }

  let handingOver: Promise<void> | null = null
  let ended: Promise<unknown> = Promise.resolve()
  function handOver(): Promise<void> {
    handingOver ??= (async () => {
      stopping.abort()
      ended = Promise.all([...watchers.values(), reconciler, sweeper, dispatcher, lister, expirer].map((loop) => loop.stop()))
      try {
        await leases.giveUp()
        tellOthers(FREE)
      } catch (error) {
        log.warn({ err: error }, 'cannot release the leases: they expire in a few seconds')
      }
    })()
    return handingOver
  }

  return {
    expectOrders,
    wake() {
      expectOrders(watchers.keys())
      reconcileSoon()
    },
    wakeChain,
    announcedChains: () => [...watchers].filter(([, { isAnnounced }]) => isAnnounced).map(([chain]) => chain),
    async ready() {
      const limit = Date.now() + READY_TIMEOUT_MS
      const isSilent = ({ answeredAtMs }: ChainWatcher) => answeredAtMs === 0
      while ([...watchers.values()].some(isSilent) && Date.now() < limit) await sleep(READY_POLL_MS)
    },
    admits: admission.admits,
    polls: watchers,
    chainHealthy,
    chainStatus,
    handOver,
    async stop() {
      await handOver()
      await ended
      await slots.idle()
      await spends.idle()
      for (const timer of wakeUps) clearTimeout(timer)
      await signals.close()
      await heartbeat.stop()
      // A run in progress may have taken one again.
      await leases.giveUp()
    },
  }
}
