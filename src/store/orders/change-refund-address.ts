/** A refund address that is known changes only while nothing is signed for it. All of this must run in a transaction. */
import { sql } from 'kysely'
import { actionKey } from '../../protocol/order.ts'
import type { Database } from '../database/database.ts'

/**
 * The address as it is now, until the transaction ends. Waits for whoever writes down a grant or a refund of the same order, so that the
 * next statement sees it.
 */
export async function lockRefundAddress(tx: Database, orderId: string): Promise<string | null> {
  const row = await tx
    .selectFrom('swaps')
    .select('user_address')
    .where('order_id', '=', orderId)
    .where('leg', '=', 'source')
    .forUpdate()
    .executeTakeFirst()
  return row?.user_address ?? null
}

/**
 * To be called with the address locked. False once a refund is signed.
 * Whoever is preparing a refund to the address before loses the action, and with it the right to record, and send, what it signs.
 */
export async function changeRefundAddress(tx: Database, orderId: string, address: string): Promise<boolean> {
  const key = actionKey(orderId, 'source', 'refund')
  // Made if it is not there, so that nobody else makes and takes it in the meantime.
  await sql`
    insert into actions (key, order_id, leg, verb, wanted) values (${key}, ${orderId}, 'source', 'refund', false)
    on conflict (key) do update set fence = actions.fence + 1, lease_holder = null, lease_until = null, due_at = now()`.execute(tx)
  const { rows } = await sql`
    update swaps set user_address = ${address} where order_id = ${orderId} and leg = 'source'
      and not exists (select from attempts where action_key = ${key})
      and not exists (select from grants where grants.order_id = ${orderId} and kind = 'instant-refund')
    returning order_id`.execute(tx)
  return rows.length > 0
}
