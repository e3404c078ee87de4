/** Keeps counters over the order list and the ledger exact by triggers, which write changes to a table that is folded in later. */
import { sql } from 'kysely'
import { withLock } from '../actions/leases.ts'
import { bigint, boolean, shape } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'

/** A bucket has 8,192 rows, as in the triggers. */
export const BUCKET_BITS = 13
/** The statistics counters have this period, as in the triggers. */
export const PERIOD_SECONDS = 21_600
/** The wildcard in a counter's key. No chain, solver or status has this name. */
export const EVERY = '*'

const LOCK = 'order counts'
/** Fewer pending changes are cheap to sum in every query. */
const MANY_CHANGES = 500

const KIND = sql`coalesce(status, ${sql.lit(EVERY)}), coalesce(from_chain, ${sql.lit(EVERY)}), coalesce(to_chain, ${sql.lit(EVERY)}),
  coalesce(solver_id, ${sql.lit(EVERY)})`
const BY_KIND = sql`cube (status, from_chain, to_chain, solver_id)`
const CHAINS = sql`coalesce(from_chain, ${sql.lit(EVERY)}), coalesce(to_chain, ${sql.lit(EVERY)})`
/** A condition on the column `status`, the same as `is_completed` in the database. */
export const COMPLETED = sql`status in ('redeem_detected', 'redeemed', 'counterparty_redeemed')`

/** Folds pending changes into the counters once there are many. Several processes may call this at the same time; one does the work. */
export async function foldOrderCounts(db: Database, minChanges = MANY_CHANGES): Promise<void> {
  const [waiting] = await readRows(db, shape({ n: bigint }))`
    select count(*) as n from (select from order_count_changes limit ${minChanges}) as some_changes`
  if ((waiting?.n ?? 0n) < BigInt(minChanges)) return
  await db.transaction().execute(async (tx) => {
    const [lock] = await readRows(tx, shape({ held: boolean }))`select pg_try_advisory_xact_lock(hashtextextended(${LOCK}, 0)) as held`
    if (lock?.held !== true) return
    await sql`
      with gone as (
        delete from order_count_changes returning *
      )
      insert into order_counts (app, status, from_chain, to_chain, solver_id, bucket, orders)
      select app, ${KIND}, bucket, sum(orders) from gone group by app, bucket, ${BY_KIND} having sum(orders) <> 0
      on conflict (app, status, from_chain, to_chain, solver_id, bucket) do update set orders = order_counts.orders + excluded.orders`.execute(
      tx,
    )
    await foldVolumes(tx)
    await sql`delete from order_counts where orders = 0`.execute(tx)
  })
}

/** Each change of the ledger comes with one of the list, so that these are folded together. */
async function foldVolumes(tx: Database): Promise<void> {
  await sql`
    with gone as (
      delete from ledger_changes returning *
    )
    insert into order_volumes (from_chain, to_chain, period, orders, volume, fees)
    select ${CHAINS}, period, sum(orders), sum(volume), sum(fees) from gone
    group by period, cube (from_chain, to_chain) having sum(orders) <> 0 or sum(volume) <> 0 or sum(fees) <> 0
    on conflict (from_chain, to_chain, period) do update set orders = order_volumes.orders + excluded.orders,
      volume = order_volumes.volume + excluded.volume, fees = order_volumes.fees + excluded.fees`.execute(tx)
  await sql`delete from order_volumes where orders = 0 and volume = 0 and fees = 0`.execute(tx)
}

/** Orders may change during the recount: changes that this transaction does not see stay pending. */
export async function recountOrders(db: Database): Promise<void> {
  await withLock(db, LOCK, () =>
    db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (tx) => {
        for (const table of ['order_count_changes', 'order_counts', 'ledger_changes', 'order_volumes'] as const)
          await tx.deleteFrom(table).execute()
        // Grouping first lets the cube run over few rows.
        await sql`
          with kinds as materialized (
            select app, status, from_chain, to_chain, solver_id, seq >> ${sql.lit(BUCKET_BITS)} as bucket, count(*) as orders
            from order_list group by 1, 2, 3, 4, 5, 6
          )
          insert into order_counts (app, status, from_chain, to_chain, solver_id, bucket, orders)
          select app, ${KIND}, bucket, sum(orders) from kinds group by app, bucket, ${BY_KIND}`.execute(tx)
        await sql`
          insert into order_volumes (from_chain, to_chain, period, orders, volume, fees)
          select ${CHAINS}, created_at / ${sql.lit(PERIOD_SECONDS)}, count(*), sum(volume), sum(fees) from ledger
          group by created_at / ${sql.lit(PERIOD_SECONDS)}, cube (from_chain, to_chain)`.execute(tx)
      }),
  )
}
