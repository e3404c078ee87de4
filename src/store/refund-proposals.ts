/** What a client was told to sign for an instant refund. Fees move; what was shown stays, so that its signatures fit. */
import type { InstantRefund } from '../protocol/order.ts'
import type { Database } from './database.ts'

export async function readRefundProposals(db: Database, orderId: string): Promise<readonly InstantRefund[]> {
  const rows = await db.selectFrom('refund_proposals').selectAll().where('order_id', '=', orderId).orderBy('deposit').execute()
  return rows.map((row) => ({ deposit: row.deposit, amount: row.amount, to: row.pays_to, pays: row.pays }))
}

/** What was proposed first for a deposit and an address stands. */
export async function keepRefundProposals(db: Database, orderId: string, refunds: readonly InstantRefund[]): Promise<void> {
  for (const { deposit, amount, to, pays } of refunds) {
    await db
      .insertInto('refund_proposals')
      .values({ order_id: orderId, deposit, amount, pays_to: to, pays })
      .onConflict((conflict) =>
        conflict.columns(['order_id', 'deposit']).doUpdateSet({ pays_to: to, pays }).where('refund_proposals.pays_to', '<>', to),
      )
      .execute()
  }
}
