/** Batch redeem: actions that share one transaction are leased together and made due together. */
import { sql } from 'kysely'
import { actionKey } from '../../protocol/order.ts'
import { anyOf } from '../database/any-of.ts'
import type { Database } from '../database/database.ts'
import { durably } from '../database/durably.ts'
import { type LeasedAction, type LeasedRow, leasedColumns, parseLeased } from './actions.ts'

export type BatchQuery = { readonly seconds: number; readonly limit: number }

/**
 * Leases the actions that may share a transaction with this redeem. If it has no attempt: others of the same leg, asset and redeemer
 * without attempts. Otherwise: exactly those that share a transaction with it already, so that they are replaced together. A redeem with a cosigned
 * transaction is batched only with the others in that transaction.
 */
export async function leaseBatch(db: Database, action: LeasedAction, query: BatchQuery): Promise<readonly LeasedAction[]> {
  const { rows } = await sql<LeasedRow>`
    update actions set lease_holder = ${action.holder}, lease_until = now() + make_interval(secs => ${query.seconds}), fence = fence + 1
    where key in (
      select a.key from actions a join swaps s on s.order_id = a.order_id and s.leg = a.leg
        join swaps first on first.order_id = ${action.orderId} and first.leg = a.leg
      where a.key <> ${action.key} and a.verb = ${action.verb} and a.leg = ${action.leg} and a.wanted
        and s.chain = first.chain and s.asset = first.asset and s.redeemer = first.redeemer
        and (a.lease_until is null or a.lease_until < now())
        and (select transaction from cosigned_redeems where order_id = a.order_id)
          is not distinct from (select transaction from cosigned_redeems where order_id = ${action.orderId})
        and case when exists (select from attempts where action_key = ${action.key})
          then exists (
            select from attempts mine join attempts theirs on theirs.tx = mine.tx
            where mine.action_key = ${action.key} and theirs.action_key = a.key)
          else not exists (select from attempts where action_key = a.key)
        end
      order by a.due_at limit ${query.limit} for update of a skip locked
    )
    returning ${leasedColumns}, false as may_batch`.execute(db)
  return rows.map(parseLeased)
}

/** Stores a redeem of these orders' sources that all parties have signed. It replaces an earlier one, and is due now. */
export async function keepCosigned(db: Database, orderIds: readonly string[], transaction: string): Promise<void> {
  await durably(db, async (tx) => {
    for (const orderId of orderIds) {
      await tx
        .insertInto('cosigned_redeems')
        .values({ order_id: orderId, transaction })
        .onConflict((conflict) => conflict.column('order_id').doUpdateSet({ transaction, at: new Date() }))
        .execute()
    }
    await tx
      .updateTable('actions')
      .set({ due_at: sql<Date>`now()` })
      .where('key', '=', anyOf(orderIds.map((orderId) => actionKey(orderId, 'source', 'redeem'))))
      .execute()
  })
}

export async function findCosigned(db: Database, orderId: string): Promise<string | null> {
  const row = await db.selectFrom('cosigned_redeems').select('transaction').where('order_id', '=', orderId).executeTakeFirst()
  return row?.transaction ?? null
}
