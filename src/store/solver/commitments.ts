/** One way per order: whichever of the two is written first excludes the other for good. */
import { sql } from 'kysely'
import { actionKey } from '../../protocol/order.ts'
import type { Database } from '../database/database.ts'

export type Way = 'locked' | 'refund_signed'

/** Durable before either is released. False when the order has gone the other way. */
export async function commitTo(db: Database, orderId: string, way: Way): Promise<boolean> {
  await db
    .insertInto('commitments')
    .values({ order_id: orderId, way })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return isCommittedTo(db, orderId, way)
}

/**
 * Takes back the word that a payment would be made, if nothing was ever signed for it. Whoever is about to sign loses the action, and with it
 * the right to record what it signs. Must run in a transaction.
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
