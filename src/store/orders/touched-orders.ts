/** Orders to derive again: something was recorded about them (triggers insert the rows), or a clock has left its range. */
import { sql } from 'kysely'
import type { ChainId } from '../../protocol/chain-id.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'

/** As in the migration. */
export const SHARDS = 32

export type TouchedOrder = { readonly id: bigint; readonly orderId: string }

export async function hasTouched(db: Database): Promise<boolean> {
  return (await selectAnyTouched(db, [])).length > 0
}

const selectAnyTouched = prepare<{ id: bigint }>('find-touched-order', 'select id from touched_orders limit 1')

const selectTouched = prepare<{ id: bigint; order_id: string }>(
  'take-touched-orders',
  'select id, order_id from touched_orders order by id limit $1 for update skip locked',
)

/**
 * Oldest first. Whichever engine comes first takes a row, and others skip it until the transaction ends. Delete the rows when the orders
 * are derived: later changes have later rows.
 */
export async function takeTouched(tx: Database, limit: number): Promise<readonly TouchedOrder[]> {
  return (await selectTouched(tx, [limit])).map((row) => ({ id: row.id, orderId: row.order_id }))
}

export async function deleteTouched(db: Database, ids: readonly bigint[]): Promise<void> {
  if (ids.length > 0) await sql`delete from touched_orders where id = any(${ids.map(String)}::bigint[])`.execute(db)
}

/** Marks these orders, as a trigger does when something is recorded about them. */
export async function touchOrders(db: Database, orderIds: readonly string[]): Promise<void> {
  if (orderIds.length > 0) await sql`insert into touched_orders (order_id) select unnest(${orderIds}::text[])`.execute(db)
}

/** The names of clocks. 'now': unix seconds by the party's clock. 'recheck': unix milliseconds. */
export type OrderClock = 'now' | 'recheck' | `${ChainId} ${'height' | 'time' | 'final' | 'age'}`

/** `since` <= value < `until`; null: no bound. */
export type StoredRange = {
  readonly orderId: string
  readonly clock: OrderClock
  readonly since: bigint | null
  readonly until: bigint | null
}

/** A literal in the statement, so that the planner chooses the indexes. */
const DUE_PER_CLOCK = 200

const selectDue = prepare<{ order_id: string }>(
  'list-due-orders',
  `with clocks as materialized (
    select chain.id || clock.name as clock, clock.value
    from unnest($1::text[]) as chain (id)
      left join lateral (select height, time, final_height from blocks where chain = chain.id order by height desc limit 1) as tip on true
      cross join lateral (
        values (' height', coalesce(tip.height, 0)), (' time', coalesce(tip.time, 0)), (' final', coalesce(tip.final_height, $2::bigint)),
          (' age', $3::bigint - coalesce(tip.time, 0))
      ) as clock (name, value)
    union all values ('now', $3::bigint), ('recheck', $4::bigint)
  )
  select distinct due.order_id from clocks cross join lateral (
    (select order_id from order_clocks where clock = clocks.clock and until <= clocks.value and shard = any($5::smallint[])
      order by until limit ${DUE_PER_CLOCK})
    union all
    (select order_id from order_clocks where clock = clocks.clock and since > clocks.value and shard = any($5::smallint[])
      order by since desc limit ${DUE_PER_CLOCK})
  ) as due limit $6`,
)

export type DueQuery = {
  readonly chains: readonly ChainId[]
  /** The value of the clock 'final' of a chain without a finality tag. */
  readonly untagged: bigint
  readonly now: bigint
  readonly nowMs: bigint
  readonly shards: readonly number[]
  readonly limit: number
}

/** Orders with a clock that has left its range, by the recorded tips of these chains. */
export async function readDue(db: Database, query: DueQuery): Promise<readonly string[]> {
  const { chains, untagged, now, nowMs, shards, limit } = query
  const rows = await selectDue(db, [chains, untagged.toString(), now.toString(), nowMs.toString(), shards, limit])
  return rows.map((row) => row.order_id)
}

const replaceRanges = prepare<never>(
  'replace-order-clocks',
  `with given as materialized (
    select * from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[]) as given (order_id, clock, since, until)
  ), gone as (
    delete from order_clocks where order_id = any($1::text[])
      and not exists (select from given where given.order_id = order_clocks.order_id and given.clock = order_clocks.clock)
  )
  insert into order_clocks (order_id, clock, since, until) select order_id, clock, since, until from given order by order_id, clock
  on conflict (order_id, clock) do update set since = excluded.since, until = excluded.until
  where order_clocks.since is distinct from excluded.since or order_clocks.until is distinct from excluded.until`,
)

/** Replaces all ranges of these orders. */
export async function writeRanges(db: Database, orderIds: readonly string[], ranges: readonly StoredRange[]): Promise<void> {
  if (orderIds.length === 0) return
  await replaceRanges(db, [
    orderIds,
    ranges.map(({ orderId }) => orderId),
    ranges.map(({ clock }) => clock),
    ranges.map(({ since }) => since?.toString() ?? null),
    ranges.map(({ until }) => until?.toString() ?? null),
  ])
}

/** A constant of ours: the first key of the advisory locks of orders. */
const ORDER_LOCKS = 7_206_020
/** A paused process that is silent for this long inside its transaction loses it, and with it the locks. A dead one loses them at once. */
const SILENT_MS = 10_000

/** Only one transaction at a time derives an order: it sees all that was written before, so no older state is written after it. */
export async function lockOrders(tx: Database, orderIds: readonly string[]): Promise<void> {
  await sql`
    select set_config('idle_in_transaction_session_timeout', ${String(SILENT_MS)}, true), count(pg_advisory_xact_lock(${ORDER_LOCKS}, key))
    from (select distinct hashtext(id) as key from unnest(${orderIds}::text[]) as id order by key) as sorted`.execute(tx)
}
