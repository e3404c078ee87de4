/** Records payouts that failed because of their recipient. Triggers write most rows: see `note_failed_payout` of the database. */

import type { FailedPayout, PayoutParties } from '@tandem/protocol/payout-limits.ts'
import { sql } from 'kysely'
import { shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'

/** The payout was refused before anything was sent. */
export async function noteRefusedPayout(db: Database, orderId: string): Promise<void> {
  await sql`select note_failed_payout(${orderId}, 1)`.execute(db)
}

export async function readPayoutParties(db: Database, orderId: string): Promise<PayoutParties | null> {
  const rows = await readRows(db, shape({ chain: text, recipient: text, owner: text, app: text }))`
    select swaps.chain, orders.destination_owner as recipient, orders.source_owner as owner, coalesce(orders.app, '') as app
    from orders join swaps on swaps.order_id = orders.id and swaps.leg = 'destination'
    where orders.id = ${orderId}`
  return rows[0] ?? null
}

/** Apps refuse more than these long before. */
const MAX_ROWS = 5_000

/** Only the last 24 hours are read, newest first. */
export async function readFailedPayouts(db: Database): Promise<readonly FailedPayout[]> {
  return db
    .selectFrom('failed_payouts as failed')
    .leftJoin('order_risks', 'order_risks.order_id', 'failed.order_id')
    .select(['failed.order_id as orderId', 'failed.chain', 'failed.recipient', 'failed.owner', 'failed.app', 'failed.weight'])
    .select((failed) => failed.fn.coalesce('order_risks.service', failed.val('')).as('service'))
    .where('failed.at', '>', sql<Date>`now() - interval '24 hours'`)
    .orderBy('failed.at', 'desc')
    .limit(MAX_ROWS)
    .execute()
}
