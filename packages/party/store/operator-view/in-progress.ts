/** Reads orders between their first deposit and their end, for the operator: bounded lists, and sums over the order list. */

import type { OrderStatus } from '@tandem/protocol/state.ts'
import { sql } from 'kysely'
import { bigint, shape, text, time, type ValueOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { orderStatus } from '../database/domain-columns.ts'
import { readRows } from '../database/prepared.ts'
import { numberEvents } from '../events/order-events.ts'
import { EVERY } from '../order-list/order-counts.ts'

/** In these statuses money is locked, and the order has not ended. */
export const inProgressStatuses = [
  'initiate_detected',
  'initiated',
  'counterparty_initiate_detected',
  'counterparty_initiated',
  'redeem_detected',
  'redeemed',
  'awaiting_refund',
  'refund_detected',
] as const satisfies readonly OrderStatus[]

/** The limit holds for each app and status. */
const MAX_SUMMED = sql.lit(20_000)

/** The counters make this exact: one index lookup for each app, status and bucket. */
export async function countByStatus(db: Database, statuses: readonly OrderStatus[]): Promise<ReadonlyMap<OrderStatus, number>> {
  const any = sql.lit(EVERY)
  const rows = await readRows(db, shape({ status: orderStatus, orders: bigint }))`
    select status, sum(orders) as orders from (
      select wanted.status, counted.orders from apps cross join unnest(${statuses}::text[]) as wanted (status) cross join lateral (
        select orders from order_counts
        where app = apps.name and order_counts.status = wanted.status and from_chain = ${any} and to_chain = ${any} and solver_id = ${any}
      ) as counted
      union all
      select status, orders from order_count_changes
    ) as parts group by status`
  return new Map(rows.map(({ status, orders }) => [status, Number(orders)]))
}

export type InProgressSum = {
  readonly status: OrderStatus
  readonly solverId: string
  readonly fromChain: string
  readonly toChain: string
  readonly orders: number
  readonly usdMicros: bigint
}

export async function sumInProgress(db: Database): Promise<readonly InProgressSum[]> {
  const rows = await readRows(
    db,
    shape({ status: orderStatus, solver_id: text, from_chain: text, to_chain: text, orders: bigint, volume: bigint }),
  )`
    select listed.status, solver_id, from_chain, to_chain, count(*) as orders, sum(volume) as volume
    from apps cross join unnest(${inProgressStatuses}::text[]) as wanted (status) cross join lateral (
      select order_list.status, solver_id, from_chain, to_chain, volume from order_list
      where app = apps.name and order_list.status = wanted.status limit ${MAX_SUMMED}
    ) as listed
    group by 1, 2, 3, 4`
  return rows.map((row) => ({
    status: row.status,
    solverId: row.solver_id,
    fromChain: row.from_chain,
    toChain: row.to_chain,
    orders: Number(row.orders),
    usdMicros: row.volume,
  }))
}

export type ListedInProgress = { readonly orderId: string; readonly usdMicros: bigint; readonly since: Date }

const listedColumns = sql`
  listed.order_id, listed.volume, coalesce(
    (select at from order_events where order_events.order_id = listed.order_id order by id desc limit 1),
    to_timestamp(listed.created_at)
  ) as since`

const listedRow = shape({ order_id: text, volume: bigint, since: time })

const parseListed = ({ order_id, volume, since }: ValueOf<typeof listedRow>): ListedInProgress => ({
  orderId: order_id,
  usdMicros: volume,
  since,
})

export async function listInProgress(db: Database, limit: number): Promise<readonly ListedInProgress[]> {
  await numberEvents(db)
  const rows = await readRows(db, listedRow)`
    with oldest as materialized (
      select found.seq from apps cross join unnest(${inProgressStatuses}::text[]) as wanted (status) cross join lateral (
        select seq from order_list where app = apps.name and order_list.status = wanted.status order by seq limit ${limit}
      ) as found order by 1 limit ${limit}
    )
    select ${listedColumns} from order_list as listed where seq in (select seq from oldest) order by seq`
  return rows.map(parseListed)
}

/** Returns orders in the given sequence. An order that is in no list is omitted. */
export async function findListed(db: Database, orderIds: readonly string[]): Promise<readonly ListedInProgress[]> {
  const rows = await readRows(db, listedRow)`
    select ${listedColumns} from orders join order_list as listed using (seq)
    where orders.id = any(${orderIds}::text[]) order by array_position(${orderIds}::text[], orders.id)`
  return rows.map(parseListed)
}
