/** Changes a known refund address until a refund is signed. Every function here must run in a transaction. */

import { actionKey } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'

/** The lock waits for concurrent writers of grants or refunds of the order, so that the next statement sees their rows. */
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
 * Call this with the address locked. `seal` is that of the source with this address. Returns false once a refund is signed. An engine that
 * prepares a refund to the old address loses its lease, and so cannot record or send what it signs.
 */
export async function changeRefundAddress(tx: Database, orderId: string, address: string, seal: string): Promise<boolean> {
  const key = actionKey(orderId, 'source', 'refund')
  // A missing action is inserted, so that no other process inserts and leases it meanwhile.
  await sql`
    insert into actions (key, order_id, leg, verb, wanted) values (${key}, ${orderId}, 'source', 'refund', false)
    on conflict (key) do update set fence = actions.fence + 1, lease_holder = null, lease_until = null, due_at = now()`.execute(tx)
  const { rows } = await sql`
    update swaps set user_address = ${address}, seal = ${seal} where order_id = ${orderId} and leg = 'source'
      and not exists (select from attempts where action_key = ${key})
      and not exists (select from grants where grants.order_id = ${orderId} and kind = 'instant-refund')
    returning order_id`.execute(tx)
  return rows.length > 0
}
