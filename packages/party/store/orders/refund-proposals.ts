/** Stores proposed instant refunds that clients sign. Fees move, so a proposal stays valid long enough to be signed. */

import type { InstantRefund } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'

/** The time is long enough to sign with a hardware wallet, and too short to speculate on fees at our cost. */
const VALID_MINUTES = 30

const isValid = sql<boolean>`refund_proposals.at > now() - make_interval(mins => ${VALID_MINUTES})`

export async function readRefundProposals(db: Database, orderId: string): Promise<readonly InstantRefund[]> {
  const rows = await db
    .selectFrom('refund_proposals')
    .selectAll()
    .where('order_id', '=', orderId)
    .where(isValid)
    .orderBy('deposit')
    .execute()
  return rows.map((row) => ({ deposit: row.deposit, amount: row.amount, to: row.pays_to, pays: row.pays }))
}

/** The first proposal for a deposit and an address stays until it expires. */
export async function keepRefundProposals(db: Database, orderId: string, refunds: readonly InstantRefund[]): Promise<void> {
  if (refunds.length === 0) return
  await db
    .insertInto('refund_proposals')
    .values(refunds.map(({ deposit, amount, to, pays }) => ({ order_id: orderId, deposit, amount, pays_to: to, pays })))
    .onConflict((conflict) =>
      conflict
        .columns(['order_id', 'deposit'])
        .doUpdateSet((eb) => ({ pays_to: eb.ref('excluded.pays_to'), pays: eb.ref('excluded.pays'), at: new Date() }))
        .where((eb) => eb.or([eb('refund_proposals.pays_to', '<>', eb.ref('excluded.pays_to')), eb.not(isValid)])),
    )
    .execute()
}
