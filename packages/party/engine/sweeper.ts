/**
 * Goes through all open orders, slowly and again and again. It closes those that nobody funded, and marks those that must be derived
 * although nothing marked them, so a missing mark heals. It also derives a few orders in rotation, so that ranges which are wrong, or were
 * computed by older code, heal too.
 */
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import { LATE_DEPOSIT_WATCH_SECONDS, smallDepositsOf } from '@tandem/protocol/state.ts'
import type { Database } from '../store/database/database.ts'
import { GROUPS, sweepPage } from '../store/orders/open-orders.ts'
import { closeUnfundedOrders } from '../store/orders/orders.ts'
import { ALL_SHARDS, outlivingVerbs } from './reconciler.ts'
import { SWEEP_PAGE_MS, SWEEP_ROUND_MS } from './times.ts'

export type SweeperContext = { readonly db: Database; readonly registry: Registry }

export interface Sweeper {
  /** Sweeps one page. Resolves to the milliseconds until the next page is due. */
  sweep(now: bigint, shards?: readonly number[]): Promise<number>
}

/** 100,000 open orders take ten minutes. */
const PAGE = 1000
/** This many orders of each page are derived: each of 100,000 open orders every three hours, each of 50 every minute. */
const REDERIVED = 50
/** It is odd, and slightly below the number of groups of `REDERIVED` orders, so that every group comes first at some time. */
const GROUPS_PER_ROUND = 37

export function createSweeper({ db, registry }: SweeperContext, nowMs: () => number = () => performance.now()): Sweeper {
  let cursor = 0n
  let roundBeganAtMs = nowMs()
  let round = 0
  const worthlessBelow = new Map(registry.chains.map((chain) => [chain.id, smallDepositsOf(chain)?.hopelessBelow ?? 0n]))
  return {
    async sweep(now, shards = ALL_SHARDS) {
      const deadline = now - LATE_DEPOSIT_WATCH_SECONDS
      const { late, end } = await sweepPage(db, {
        after: cursor,
        limit: PAGE,
        shards,
        rederived: REDERIVED,
        firstGroup: (round * GROUPS_PER_ROUND) % GROUPS,
        worthlessBelow,
        deadline,
      })
      if (late.length > 0) await closeUnfundedOrders(db, late, LATE_DEPOSIT_WATCH_SECONDS, outlivingVerbs)
      cursor = end ?? 0n
      if (end !== null) return SWEEP_PAGE_MS
      const pauseMs = Math.max(SWEEP_PAGE_MS, SWEEP_ROUND_MS - (nowMs() - roundBeganAtMs))
      round += 1
      roundBeganAtMs = nowMs() + pauseMs
      return pauseMs
    },
  }
}
