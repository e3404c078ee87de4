/** Counts how the recent orders of each solver ended, from the counters over the order list. */
import { sql } from 'kysely'
import { bigint, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'
import { BUCKET_BITS, COMPLETED, EVERY } from './order-counts.ts'

export type SettledCounts = { readonly solverId: string; readonly completed: number; readonly refunded: number }

/** Older orders do not count, so that a solver's past fades. */
const RECENT_BUCKETS = 4

const REFUNDED = sql`status in ('awaiting_refund', 'refund_detected', 'refunded')`

export async function countSettledOrders(db: Database): Promise<readonly SettledCounts[]> {
  const rows = await readRows(db, shape({ solver_id: text, completed: bigint, refunded: bigint }))`
    with newest as (select (coalesce(max(seq), 0) >> ${sql.lit(BUCKET_BITS)}) - ${sql.lit(RECENT_BUCKETS)} as bucket from order_list),
    parts as (
      -- This asks app by app, because the key of each counter begins with its app.
      select counted.* from newest, apps cross join lateral (
        select solver_id, status, orders from order_counts
        where app = apps.name and (${COMPLETED} or ${REFUNDED}) and from_chain = ${sql.lit(EVERY)} and to_chain = ${sql.lit(EVERY)}
          and solver_id <> ${sql.lit(EVERY)} and order_counts.bucket > newest.bucket
      ) as counted
      union all
      select solver_id, status, orders from order_count_changes, newest where order_count_changes.bucket > newest.bucket
    )
    select solver_id, coalesce(sum(orders) filter (where ${COMPLETED}), 0) as completed,
      coalesce(sum(orders) filter (where ${REFUNDED}), 0) as refunded
    from parts group by solver_id`
  return rows.map(({ solver_id, completed, refunded }) => ({
    solverId: solver_id,
    completed: Number(completed),
    refunded: Number(refunded),
  }))
}
