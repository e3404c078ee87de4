/** Reads swaps and volume over time, and how long the steps of recent orders took. */

import type { OrderStatus } from '@tandem/protocol/state.ts'
import { sql } from 'kysely'
import { bigint, number, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { orderStatus } from '../database/domain-columns.ts'
import { readRows } from '../database/prepared.ts'
import { EVERY } from '../order-list/order-counts.ts'

export type PeriodVolume = { readonly period: number; readonly swaps: number; readonly usdMicros: bigint }

/** The periods are by the creation of orders. Periods without a completed order are omitted. */
export async function readVolumes(db: Database, firstPeriod: number): Promise<readonly PeriodVolume[]> {
  const any = sql.lit(EVERY)
  const rows = await readRows(db, shape({ period: bigint, orders: bigint, volume: bigint }))`
    select period, sum(orders)::bigint as orders, sum(volume) as volume from (
      select period, orders, volume from order_volumes where from_chain = ${any} and to_chain = ${any} and period >= ${firstPeriod}::bigint
      union all
      select period, orders, volume from ledger_changes where period >= ${firstPeriod}::bigint
    ) as parts group by period order by period`
  return rows.map(({ period, orders, volume }) => ({ period: Number(period), swaps: Number(orders), usdMicros: volume }))
}

export type Totals = { readonly swaps: number; readonly usdMicros: bigint; readonly feesUsdMicros: bigint }

export async function readTotals(db: Database): Promise<Totals> {
  const any = sql.lit(EVERY)
  const rows = await readRows(db, shape({ orders: bigint, volume: bigint, fees: bigint }))`
    select coalesce(sum(orders), 0)::bigint as orders, coalesce(sum(volume), 0) as volume, coalesce(sum(fees), 0) as fees from (
      select orders, volume, fees from order_volumes where from_chain = ${any} and to_chain = ${any}
      union all
      select orders, volume, fees from ledger_changes
    ) as parts`
  const [row] = rows
  return { swaps: Number(row?.orders ?? 0n), usdMicros: row?.volume ?? 0n, feesUsdMicros: row?.fees ?? 0n }
}

export type StepTimes = {
  readonly from: OrderStatus
  readonly to: OrderStatus
  readonly orders: number
  readonly medianSeconds: number
  readonly p95Seconds: number
  readonly slowestSeconds: number
  readonly slowestOrder: string
}

/** The limit is a literal, because the planner must know that the events are few. */
const RECENT_EVENTS = sql.lit(5000)

/** Only the newest status changes count. Steps that take longest come first. */
export async function readStepTimes(db: Database): Promise<readonly StepTimes[]> {
  const rows = await readRows(
    db,
    shape({
      previous: orderStatus,
      status: orderStatus,
      orders: bigint,
      median: number,
      p95: number,
      slowest: number,
      slowest_order: text,
    }),
  )`
    with recent as materialized (
      select id, order_id, status, at from order_events order by id desc limit ${RECENT_EVENTS}
    ), steps as (
      select order_id, status, lag(status) over one as previous, extract(epoch from at - lag(at) over one)::float8 as seconds
      from recent window one as (partition by order_id order by id)
    )
    select previous, status, count(*) as orders, percentile_cont(0.5) within group (order by seconds) as median,
      percentile_cont(0.95) within group (order by seconds) as p95, max(seconds) as slowest,
      (array_agg(order_id order by seconds desc))[1] as slowest_order
    from steps where previous is not null group by 1, 2 order by p95 desc, 1, 2`
  return rows.map((row) => ({
    from: row.previous,
    to: row.status,
    orders: Number(row.orders),
    medianSeconds: row.median,
    p95Seconds: row.p95,
    slowestSeconds: row.slowest,
    slowestOrder: row.slowest_order,
  }))
}
