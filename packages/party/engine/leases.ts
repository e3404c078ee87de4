/** Holds short leases for this process and renews them while their work goes on. A dead process loses its leases within seconds. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { ActionKey } from '@tandem/protocol/order.ts'
import { type Leased, type LeasedAction, type LeaseQuery, leaseActions } from '../store/actions/actions.ts'
import { type BatchQuery, leaseBatch } from '../store/actions/batches.ts'
import { type ActionResult, finishAction } from '../store/actions/finish-action.ts'
import { releaseLease, releaseLeases, renewActions, renewLeases } from '../store/actions/leases.ts'
import type { Database } from '../store/database/database.ts'
import { type LeasedWithdrawal, leaseWithdrawals } from '../store/solver/withdrawals.ts'
import { LEASE_SECONDS, MAX_FINISH_RETRY_MS, MIN_FINISH_RETRY_MS } from './times.ts'

export interface Leases {
  readonly holder: string
  next(): Promise<LeasedAction | null>
  several(query: LeaseQuery): Promise<readonly LeasedAction[]>
  batch(first: LeasedAction, query: Omit<BatchQuery, 'seconds'>): Promise<readonly LeasedAction[]>
  withdrawals(limit: number): Promise<readonly LeasedWithdrawal[]>
  /** Ends a lease. It is retried while the lease lasts, because the database may be away for a moment. A lost lease is ignored. */
  finish(action: Leased, result: ActionResult): Promise<void>
  /** Throws `superseded` if a lease may be lost, because this process was paused or the database is away. */
  assertHeld(actions: readonly Leased[]): void
  /** Renews the named lease, which `work` takes itself, until `work` ends. After a failure the lease is given up to others. */
  whileRenewed<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Renews everything in use. A lease that has expired continues if no other holder took it over. */
  renew(): Promise<void>
  /** Releases everything, for others to take at once. From now on this process holds, takes and signs nothing. */
  giveUp(): Promise<void>
}

type Held = { readonly fence: bigint; untilMs: number }

export function createLeases(
  db: Database,
  holder: string,
  seconds: number = LEASE_SECONDS,
  nowMs: () => number = () => performance.now(),
): Leases {
  const held = new Map<ActionKey, Held>()
  const names = new Set<string>()
  let isGivenUp = false

  /** The time counts from before the request, so the database's lease never ends before ours. */
  const untilMs = (askedAtMs: number) => askedAtMs + seconds * 1000

  function hold(actions: readonly Leased[], askedAtMs: number): void {
    for (const { key, fence } of actions) held.set(key, { fence, untilMs: untilMs(askedAtMs) })
  }

  function isHeld({ key, fence }: Leased): boolean {
    const lease = held.get(key)
    return lease !== undefined && lease.fence === fence && nowMs() < lease.untilMs
  }

  function drop({ key, fence }: Leased): void {
    if (held.get(key)?.fence === fence) held.delete(key)
  }

  /** A lease that arrives after `giveUp` is not kept. */
  async function takeAll<T extends Leased>(lease: () => Promise<readonly T[]>): Promise<readonly T[]> {
    if (isGivenUp) return []
    const askedAtMs = nowMs()
    const actions = await lease()
    if (isGivenUp) {
      await releaseLeases(db, holder)
      return []
    }
    hold(actions, askedAtMs)
    return actions
  }

  const several = (query: LeaseQuery) => takeAll(() => leaseActions(db, holder, seconds, query))

  async function finishWhileHeld(action: Leased, result: ActionResult): Promise<void> {
    for (let waitMs = MIN_FINISH_RETRY_MS; ; waitMs = Math.min(waitMs * 2, MAX_FINISH_RETRY_MS)) {
      try {
        await finishAction(db, action, result)
        return
      } catch (error) {
        if (!isHeld(action)) throw error
      }
      await sleep(waitMs)
    }
  }

  return {
    holder,
    next: async () => (await several({ limit: 1 }))[0] ?? null,
    several,
    batch: (first, query) => takeAll(() => leaseBatch(db, first, { ...query, seconds })),
    withdrawals: (limit) => takeAll(() => leaseWithdrawals(db, holder, seconds, limit)),
    async finish(action, result) {
      try {
        await finishWhileHeld(action, result)
      } finally {
        drop(action)
      }
    },
    assertHeld(actions) {
      const lost = actions.find((action) => !isHeld(action))
      if (lost !== undefined) throw new ChainFailure('superseded', `${lost.key}: the lease may be lost`)
    },
    async whileRenewed(name, work) {
      names.add(name)
      try {
        return await work()
      } catch (error) {
        // Without the database the lease expires by itself.
        await releaseLease(db, holder, name).catch(() => undefined)
        throw error
      } finally {
        names.delete(name)
      }
    },
    async renew() {
      const askedAtMs = nowMs()
      const asked = [...held]
      const renewed = new Set(
        await renewActions(
          db,
          holder,
          asked.map(([key, { fence }]) => ({ key, fence })),
          seconds,
        ),
      )
      for (const [key, lease] of asked) {
        if (renewed.has(key)) lease.untilMs = untilMs(askedAtMs)
        else if (held.get(key) === lease) held.delete(key)
      }
      await renewLeases(db, holder, [...names], seconds)
    },
    async giveUp() {
      isGivenUp = true
      held.clear()
      names.clear()
      await releaseLeases(db, holder)
    },
  }
}
