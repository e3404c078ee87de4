/** The solver commits each order either to paying (`locked`) or to a refund (`refund_signed`). The first commitment excludes the other. */
import { sql } from 'kysely'
import { actionKey } from '../../protocol/order.ts'
import type { Database } from '../database/database.ts'

export type Way = 'locked' | 'refund_signed'

/** Must be durable before a payment or refund signature leaves the process. False if the order is committed to the other. */
export async function commitTo(db: Database, orderId: string, way: Way): Promise<boolean> {
  // The update changes nothing. It returns the commitment that exists, also one that another transaction is just writing.
  const row = await db
    .insertInto('commitments')
    .values({ order_id: orderId, way })
    .onConflict((conflict) => conflict.column('order_id').doUpdateSet((existing) => ({ way: existing.ref('commitments.way') })))
    .returning('way')
    .executeTakeFirst()
  return row?.way === way
}

/**
 * Turns a commitment to pay into one to a refund, if no payment was ever signed. A worker that is about to sign loses its lease, and so cannot
 * record what it signs. Must run in a transaction.
 */
export async function releaseLocked(tx: Database, orderId: string): Promise<boolean> {
  const key = actionKey(orderId, 'destination', 'initiate')
  await sql`update actions set fence = fence + 1, lease_holder = null, lease_until = null where key = ${key}`.execute(tx)
  const { rows } = await sql`
    update commitments set way = 'refund_signed' where order_id = ${orderId} and way = 'locked'
      and not exists (select from attempts where action_key = ${key})
    returning order_id`.execute(tx)
  return rows.length > 0
}

export async function isCommittedTo(db: Database, orderId: string, way: Way): Promise<boolean> {
  const row = await db.selectFrom('commitments').select('way').where('order_id', '=', orderId).executeTakeFirst()
  return row?.way === way
}
