/** The solver commits each order either to paying (`locked`) or to a refund (`refund_signed`). The first commitment excludes the other. */

import { actionKey } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import { oneOf, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { sharePerDatabase } from '../database/share-statements.ts'

export type Way = 'locked' | 'refund_signed'

/** The result lacks an order that another transaction commits at the same moment: the statement began before that. */
const commit = prepare(
  'commit-orders',
  shape({ order_id: text, way: oneOf<Way>({ locked: true, refund_signed: true }) }),
  `
  with given as materialized (
    select * from unnest($1::text[], $2::text[]) as given (order_id, way)
  ), made as (
    insert into commitments (order_id, way) select order_id, way from given order by order_id on conflict do nothing returning order_id, way
  )
  select order_id, way from made union all select order_id, commitments.way from commitments join given using (order_id)`,
)

const commitShared = sharePerDatabase<{ readonly orderId: string; readonly way: Way }, Way | null>(async (db, asked) => {
  const rows = await commit(db, [asked.map(({ orderId }) => orderId), asked.map(({ way }) => way)])
  const ways = new Map(rows.map((row) => [row.order_id, row.way]))
  return asked.map(({ orderId }) => ways.get(orderId) ?? null)
})

/**
 * The commitment must be durable before a payment or refund signature leaves the process. Returns false if the order is committed to the
 * other way. Concurrent calls share a statement.
 */
export async function commitTo(db: Database, orderId: string, way: Way): Promise<boolean> {
  const committed = await commitShared(db, { orderId, way })
  return committed === null ? isCommittedTo(db, orderId, way) : committed === way
}

/**
 * Turns a commitment to pay into one to a refund, if no payment was ever signed. A worker that is about to sign loses its lease, and so
 * cannot record what it signs. This must run in a transaction.
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
