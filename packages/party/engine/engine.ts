/** Runs the loop chain → watcher → reconciler → dispatcher → executor → chain, the same for both parties. */
import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { OrderState } from '@tandem/protocol/state.ts'
import type { Logger } from 'pino'
import type { LeasedAction } from '../store/actions/actions.ts'
import type { ActionResult } from '../store/actions/finish-action.ts'
import type { Database } from '../store/database/database.ts'
import { createAdmission, logOverload } from './admission.ts'
import { type ChainWatcher, type FreshPolls, startChainWatcher } from './chain-watcher.ts'
import { startDispatcher } from './dispatcher.ts'
import type { ChainStatus } from './engine-report.ts'
import { reportOf } from './engine-report.ts'
import { DERIVED, FREE } from './engine-signals.ts'
import type { DifferenceReport } from './evidence/differences.ts'
import { createSpendCheck, type SpendCheck } from './evidence/spend-check.ts'
import { startHousekeeping } from './housekeeping.ts'
import { createLeases, type Leases } from './leases.ts'
import { createLoop } from './loop.ts'
import { reconcileIntervalMs } from './pace.ts'
import type { Party } from './party.ts'
import { openPeers } from './peers.ts'
import { performAction } from './perform-action.ts'
import { startReconcileLoop } from './reconcile-loop.ts'
import { createShards } from './shards.ts'
import { LEASE_RENEWAL_MS } from './times.ts'
import type { Reorg } from './watcher.ts'
import { groupWatchers } from './watchers.ts'
import { startWithdrawals, type WithdrawalRules } from './withdrawals/withdrawals.ts'

export interface Engine {
  expectOrders(chains: Iterable<ChainId>): void
  /** Reconciles now, because something was written about an order, e.g. a grant. */
  wake(): void
  /** Polls the chain now. Unknown chains are ignored. */
  wakeChain(chain: ChainId): void
  /** Returns the chains whose nodes announce new blocks: the other party need not wake them. */
  announcedChains(): readonly ChainId[]
  /** Resolves when every chain was read once, or after a timeout: a chain that is down must not block the others. */
  ready(): Promise<void>
  /** A healthy chain answered recently, with the history that we know. */
  chainHealthy(chain: ChainId): boolean
  /** Returns false if the work of existing orders waits too long. The new quote or order must then be refused. */
  admits(what: 'quote' | 'order'): boolean
  chainStatus(chain: ChainId): ChainStatus | null
  readonly polls: ReadonlyMap<ChainId, FreshPolls>
  /**
   * Leaves all work to other engines at once: leases and keys are free, also while a node has not answered. An action in progress stops
   * where it is: whatever may be with a node is on record.
   */
  handOver(): Promise<void>
  /** Hands over, and resolves when all work has ended. Requests to a node end when its connection is closed. */
  stop(): Promise<void>
}

export type EngineOptions = {
  readonly db: Database
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly party: Party
  readonly log: Logger
  readonly now: () => bigint
  /** This process sent a transaction on the chain, or saw an event there. The other party may poll the chain early. */
  readonly onActivity?: (chain: ChainId) => void
  readonly onReorg?: (chain: ChainId, reorg: Reorg) => void
  readonly onAction?: (action: LeasedAction, outcome: ActionResult['kind'], ms: number) => void
  readonly onDifferences?: (report: DifferenceReport) => void
  /** Orders were derived, by this process or another one of the database, so their status may have changed. */
  readonly onDerived?: () => void
  /** Without them the party sends no withdrawals. */
  readonly withdrawals?: WithdrawalRules
}

export function startEngine(options: EngineOptions): Engine {
  const { db, clients, party, log } = options
  const stopping = new AbortController()
  // Each action that runs adds a listener.
  setMaxListeners(0, stopping.signal)
  const leases = createLeases(db, randomUUID())
  const waitMs = () => Math.max(reconciler.waitMs(), dispatcher.waitMs())
  const shards = createShards(db, leases.holder, () => reportOf(waitMs(), [...clients.keys()], (chain) => watchers.status(chain)))
  const admission = createAdmission(waitMs, logOverload(log))
  // The watchers are created first, because the loops use them.
  const polls = new Map([...clients].map(([chain, client]) => [chain, startWatcher(chain, client)]))
  const watchers = groupWatchers(polls)
  const renewal = startRenewal(leases, log)
  /**
   * Other engines watch the chains, and act on what they see. A standby engine does what it is woken for, and what they leave for a while.
   */
  const isStandby = () => !shards.isAlone() && !watchers.isWatching()
  const executing = { ...options, leases, polls, onSent, stopping: stopping.signal }
  const dispatcher = startDispatcher({
    leases,
    perform: (action) => performAction(executing, action),
    hasOpenOrder: watchers.mayHaveOpenOrder,
    isAlone: shards.isAlone,
    isStandby,
    isHealthy: watchers.isHealthy,
    log,
  })
  const withdrawals = options.withdrawals && startWithdrawals({ ...executing, rules: options.withdrawals })
  const spends = createSpendCheck({ ...options, polls, stopping: stopping.signal })
  const reconciler = startReconcileLoop({
    ...options,
    party: checkingSpends(party, spends),
    shards,
    intervalMs: () => reconcileIntervalMs({ hasOpenOrder: watchers.mayHaveOpenOrder(), isRunning: dispatcher.isRunning }),
    isStandby,
    onWanted() {
      dispatcher.noteWanted()
      dispatcher.wake()
    },
    onDerived() {
      if (options.onDerived === undefined) return
      options.onDerived()
      peers.signal(DERIVED)
    },
  })
  const stopHousekeeping = startHousekeeping({ ...options, shards, stopping: stopping.signal })
  const peers = openPeers({
    db,
    shards,
    watchers,
    onDerived: () => options.onDerived?.(),
    onWritten: reconciler.wake,
    onFree() {
      for (const watcher of watchers.all) watcher.takeOver()
      reconciler.wake()
      dispatcher.wake()
    },
  })

  function startWatcher(chain: ChainId, client: ChainClient): ChainWatcher {
    return startChainWatcher({
      db,
      client,
      leases,
      log,
      isAlone: shards.isAlone,
      onChange: () => reconciler.wakeFor(chain),
      onEvents() {
        // An event of a swap on one chain will soon cause events on the chain of its other leg.
        for (const watcher of watchers.all) watcher.noteActivity()
        options.onActivity?.(chain)
      },
      onReorg: (reorg) => options.onReorg?.(chain, reorg),
    })
  }

  function onSent(chain: ChainId): void {
    peers.wakeChain(chain)
    options.onActivity?.(chain)
  }

  let handedOver: { readonly done: Promise<void>; readonly ended: Promise<unknown> } | null = null
  function handOver() {
    stopping.abort()
    handedOver ??= {
      ended: Promise.all([...watchers.all, reconciler, dispatcher, { stop: stopHousekeeping }].map((part) => part.stop())),
      done: leases
        .giveUp()
        .then(() => peers.signal(FREE))
        .catch((error: unknown) => log.warn({ err: error }, 'cannot release the leases: they expire in a few seconds')),
    }
    return handedOver
  }

  return {
    expectOrders: peers.expectOrders,
    wake() {
      peers.expectOrders(polls.keys())
      reconciler.wake()
    },
    wakeChain: peers.wakeChain,
    announcedChains: watchers.announcedChains,
    ready: watchers.ready,
    admits: admission.admits,
    polls,
    chainHealthy: watchers.isHealthy,
    chainStatus: watchers.status,
    handOver: () => handOver().done,
    async stop() {
      const { done, ended } = handOver()
      await done
      await ended
      await dispatcher.idle()
      await withdrawals?.stop()
      await spends.idle()
      await peers.close()
      await renewal.stop()
      // A run in progress may have taken a lease again.
      await leases.giveUp()
    },
  }
}

function startRenewal(leases: Leases, log: Logger) {
  let isFailing = false
  return createLoop({
    intervalMs: LEASE_RENEWAL_MS,
    async run() {
      await leases.renew()
      isFailing = false
      return false
    },
    onError(error) {
      if (!isFailing) log.warn({ err: error }, 'cannot renew leases; will retry')
      isFailing = true
    },
  })
}

function checkingSpends(party: Party, spends: SpendCheck): Pick<Party, 'role' | 'onReconciled'> {
  return {
    role: party.role,
    onReconciled(states: readonly OrderState[]) {
      spends.check(states)
      return party.onReconciled?.(states) ?? new Map<string, number>()
    },
  }
}
