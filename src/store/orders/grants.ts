/** What users gave or asked for after an order was made. The secret of a granted redeem is not here: it is sealed. */
import type { Selectable } from 'kysely'
import type { Grant, InstantRefundGrant, SignedInstantRefund } from '../../protocol/order.ts'
import type { Database } from '../database/database.ts'
import type { Schema, StoredRefund } from '../database/schema.ts'

export type GrantColumns = Pick<Selectable<Schema['grants']>, 'kind' | 'signature' | 'refunds' | 'transaction'>

export function parseGrant({ kind, signature, refunds, transaction }: GrantColumns): Grant {
  switch (kind) {
    case 'initiate':
      return { kind, signature: signature ?? '' }
    case 'redeem':
      return { kind }
    case 'instant-refund':
      return { kind, refunds: (refunds ?? []).map(parseRefund), transaction }
  }
}

/** The first grant of a kind stands: a repeated one joins it. True when this is the first. */
export async function addGrant(db: Database, orderId: string, grant: Exclude<Grant, InstantRefundGrant>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('grants')
    .values({ order_id: orderId, kind: grant.kind, signature: grant.kind === 'initiate' ? grant.signature : null })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Adds those whose deposits have none yet: what was signed first for a deposit stands. Must run in a transaction. */
export async function addInstantRefunds(tx: Database, orderId: string, refunds: readonly SignedInstantRefund[]): Promise<void> {
  const key = { order_id: orderId, kind: 'instant-refund' as const }
  await tx
    .insertInto('grants')
    .values({ ...key, refunds: '[]' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const grant = tx.selectFrom('grants').select('refunds').where('order_id', '=', orderId).where('kind', '=', key.kind)
  const known = (await grant.forUpdate().executeTakeFirstOrThrow()).refunds ?? []
  const fresh = refunds.filter(({ deposit }) => !known.some((refund) => refund.deposit === deposit))
  await tx
    .updateTable('grants')
    .set({ refunds: JSON.stringify([...known, ...fresh.map(refundToRow)]) })
    .where('order_id', '=', orderId)
    .where('kind', '=', key.kind)
    .execute()
}

/** Both have signed: this is what is sent. */
export async function noteInstantRefundTransaction(db: Database, orderId: string, transaction: string): Promise<void> {
  await db.updateTable('grants').set({ transaction }).where('order_id', '=', orderId).where('kind', '=', 'instant-refund').execute()
}

/** JSON's own numbers are floats. */
function refundToRow(refund: SignedInstantRefund): StoredRefund {
  return { ...refund, amount: refund.amount.toString(), pays: refund.pays.toString() }
}

function parseRefund(row: StoredRefund): SignedInstantRefund {
  return { deposit: row.deposit, amount: BigInt(row.amount), to: row.to, pays: BigInt(row.pays), signature: row.signature }
}
