/** Leases wanted actions, the most overdue first, and performs as many at once as there are slots. */

import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Logger } from 'pino'
import type { LeasedAction } from '../store/actions/actions.ts'
import { createDirtyFlag } from './dirty-flag.ts'
import type { Leases } from './leases.ts'
import { createLoop } from './loop.ts'
import { dispatchIntervalMs } from './pace.ts'
import { createSlots } from './slots.ts'
import { DISPATCH_ALONE_MS, STANDBY_DISPATCH_MS } from './times.ts'
import { createWaits } from './waits.ts'

export interface Dispatcher {
  wake(): void
  /** Newly wanted actions start to wait now. */
  noteWanted(): void
  readonly isRunning: boolean
  waitMs(): number
  stop(): Promise<void>
  idle(): Promise<void>
}

export type DispatcherOptions = {
  readonly leases: Pick<Leases, 'several'>
  /** Never rejects. Resolves to the milliseconds until the action is tried again; null if no retry is needed. */
  readonly perform: (action: LeasedAction) => Promise<number | null>
  readonly hasOpenOrder: () => boolean
  readonly isAlone: () => boolean
  /** Other engines watch the chains, so this engine takes only what they leave. */
  readonly isStandby: () => boolean
  readonly isHealthy: (chain: ChainId) => boolean
  readonly log: Logger
}

export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { leases, perform, hasOpenOrder, isAlone, isStandby, isHealthy, log } = options
  const slots = createSlots(wake)
  const waits = createWaits()
  const dirty = createDirtyFlag()
  const timers = new Set<NodeJS.Timeout>()
  const lastPass = { isFull: false, beganAtMs: performance.now() }
  let isStopped = false

  const loop = createLoop({
    intervalMs: () => dispatchIntervalMs({ hasOpenOrder: hasOpenOrder(), isRunning: !slots.isIdle, isAlone: isAlone() }),
    run: dispatch,
    onError: (error) => log.error({ err: error }, 'dispatcher failed'),
  })

  async function dispatch(): Promise<boolean> {
    const beganAtMs = performance.now()
    const query = slots.query()
    if (query.limit === 0) return false
    const actions = await dirty.run((isDirty) =>
      leases.several(isStandby() && !isDirty ? { ...query, lateMs: STANDBY_DISPATCH_MS } : query),
    )
    for (const action of actions) slots.run(action.chains[action.leg], async () => wakeIn(await perform(action)))
    const isFull = actions.length === query.limit
    noteWaits(actions, isFull)
    lastPass.isFull = isFull
    lastPass.beganAtMs = beganAtMs
    return isFull
  }

  function noteWaits(actions: readonly LeasedAction[], isFull: boolean): void {
    // If the last pass left nothing, an action that it did not find was not free, e.g. leased by a process that died. Such an action did
    // not wait for us.
    const maxMs = lastPass.isFull ? Number.POSITIVE_INFINITY : performance.now() - lastPass.beganAtMs
    const waited = actions.map(({ waitedMs }) => Math.min(waitedMs, maxMs))
    // The most overdue actions are taken first, so those that are left have waited less than these.
    waits.end(Math.max(0, ...waited), isFull ? Math.min(...waited) : null)
  }

  function wakeIn(ms: number | null): void {
    if (ms === null || ms >= DISPATCH_ALONE_MS || isStopped) return
    const timer = setTimeout(() => {
      timers.delete(timer)
      wake()
    }, ms)
    timers.add(timer)
  }

  function wake(): void {
    dirty.set()
    loop.wake()
  }

  return {
    wake,
    noteWanted: waits.begin,
    get isRunning() {
      return !slots.isIdle
    },
    waitMs: () => Math.max(waits.maxMs(), slots.fullMs(isHealthy)),
    async stop() {
      isStopped = true
      for (const timer of timers) clearTimeout(timer)
      await loop.stop()
    },
    idle: slots.idle,
  }
}
