/** Leases actions that share one transaction together, and makes them due together. */

import { actionKey } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import { anyOf } from '../database/any-of.ts'
import type { Database } from '../database/database.ts'
import { durably } from '../database/durably.ts'
import { readRows } from '../database/prepared.ts'
import { type LeasedAction, leasedColumns, leasedRow, parseLeased } from './actions.ts'

export type BatchQuery = { readonly seconds: number; readonly limit: number }

/** This limit is a literal, because the planner must know that the redeems are few. */
const MAX_CONSIDERED = sql.lit(500)

/**
 * Leases the actions that may share a transaction with this redeem. If it has no attempt, these are others of the same leg, asset and
 * redeemer without attempts. Otherwise they are exactly those that share a transaction with it already, so that they are replaced together.
 * A redeem with a cosigned transaction is batched only with the others in that transaction. One that gives gas is sent alone: it is not leased here, because
 * that would put it off each time.
 */
export async function leaseBatch(db: Database, action: LeasedAction, query: BatchQuery): Promise<readonly LeasedAction[]> {
  const rows = await readRows(db, leasedRow)`
    with first as materialized (
      select swaps.*, (select transaction from cosigned_redeems where order_id = ${action.orderId}) as cosigned,
        exists (select from attempts where action_key = ${action.key}) as is_signed
      from swaps where order_id = ${action.orderId} and leg = ${action.leg}
    ), candidates as materialized (
      select waiting.key from first cross join lateral (
        select key, order_id from actions
        where verb = 'redeem' and actions.chain = first.chain and actions.leg = first.leg and wanted and last_tx is null
          and (lease_until is null or lease_until < now())
        order by due_at limit ${MAX_CONSIDERED}
      ) as waiting join swaps on swaps.order_id = waiting.order_id and swaps.leg = first.leg
      where not first.is_signed and swaps.asset = first.asset and swaps.redeemer = first.redeemer and swaps.gas is null
        and not exists (select from attempts where action_key = waiting.key)
      union
      select theirs.action_key from first join attempts mine on mine.action_key = ${action.key}
        join attempts theirs on theirs.tx = mine.tx
    ), chosen as materialized (
      select a.key from first, candidates, actions a
      where a.key = candidates.key and a.key <> ${action.key} and a.verb = ${action.verb} and a.leg = ${action.leg} and a.wanted
        and (a.lease_until is null or a.lease_until < now())
        and (select transaction from cosigned_redeems where order_id = a.order_id) is not distinct from first.cosigned
      order by a.due_at limit ${query.limit} for update of a skip locked
    )
    update actions set lease_holder = ${action.holder}, lease_until = now() + make_interval(secs => ${query.seconds}), fence = fence + 1
    from chosen where chosen.key = actions.key
    returning ${leasedColumns}, false as may_batch`
  return rows.flatMap(parseLeased)
}

/** Stores a redeem of these orders' sources that all parties have signed. It replaces an earlier one, and is due now. */
export async function keepCosigned(db: Database, orderIds: readonly string[], transaction: string): Promise<void> {
  await durably(db, async (tx) => {
    // All code locks several of these rows in the same order, so two such transactions cannot deadlock.
    for (const orderId of orderIds.toSorted()) {
      await tx
        .insertInto('cosigned_redeems')
        .values({ order_id: orderId, transaction })
        .onConflict((conflict) => conflict.column('order_id').doUpdateSet({ transaction, at: new Date() }))
        .execute()
    }
    const keys = orderIds.map((orderId) => actionKey(orderId, 'source', 'redeem'))
    await sql`
      with held as materialized (select key from actions where key = ${anyOf(keys)} order by key for update)
      update actions set due_at = now() where key in (select key from held)`.execute(tx)
  })
}

export async function findCosigned(db: Database, orderId: string): Promise<string | null> {
  const row = await db.selectFrom('cosigned_redeems').select('transaction').where('order_id', '=', orderId).executeTakeFirst()
  return row?.transaction ?? null
}
