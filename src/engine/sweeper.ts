/**
 * Goes through all open orders, slowly and again and again: closes those that nobody funded, and derives the active ones although nothing
 * seems to have changed. So a mark or a range that is missing, or was computed by older code, heals.
 */
import type { Registry } from '../protocol/registry/registry.ts'
import { LATE_DEPOSIT_WATCH_SECONDS } from '../protocol/state.ts'
import type { Database } from '../store/database/database.ts'
import { listOpenAfter, touchActive } from '../store/orders/open-orders.ts'
import { closeUnfundedOrders } from '../store/orders/orders.ts'
import { expireOrderList } from './order-list.ts'
import type { Party } from './party.ts'
import { ALL_SHARDS, outlivingVerbs } from './reconciler.ts'

export type SweeperContext = { readonly db: Database; readonly registry: Registry; readonly party: Pick<Party, 'role'> }

export interface Sweeper {
  /** One page. Call it every second. */
  sweep(now: bigint, shards?: readonly number[]): Promise<void>
}

/** A second: 15,000 open orders take ten minutes, and the sweep never costs more than a few percent of a core. */
const PAGE = 25

export function createSweeper({ db, registry, party }: SweeperContext): Sweeper {
  let cursor = 0n
  return {
    async sweep(now, shards = ALL_SHARDS) {
      const { orderIds, end } = await listOpenAfter(db, cursor, PAGE)
      cursor = end ?? 0n
      if (orderIds.length > 0) {
        await closeUnfundedOrders(db, orderIds, LATE_DEPOSIT_WATCH_SECONDS, outlivingVerbs)
        await touchActive(db, orderIds, shards)
      }
      // A solver serves no lists.
      if (party.role === 'service') await expireOrderList(db, registry, now)
    },
  }
}
