/** Stores grants, the user's permissions to the service. The secret of a granted redeem is stored sealed, not here. */
import type { Consent, Grant, InstantRefundGrant, SignedInstantRefund } from '@tandem/protocol/order.ts'
import { bigintText, listOf, nullable, number, oneOf, shape, text, type ValueOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { leg } from '../database/domain-columns.ts'
import type { StoredRefund } from '../database/schema.ts'

const refund = shape({ deposit: text, amount: bigintText, to: text, pays: bigintText, signature: text })

/** Reads a row as JSON. The deadline is a JSON number: unix seconds fit into a float. */
export const grant = shape({
  kind: oneOf<Grant['kind']>({ initiate: true, redeem: true, 'instant-refund': true }),
  leg,
  consent: nullable(oneOf<Consent['kind']>({ signature: true, prefunded: true })),
  signature: nullable(text),
  deadline: nullable(number),
  refunds: nullable(listOf(refund)),
  transaction: nullable(text),
})
type GrantColumns = ValueOf<typeof grant>

export function parseGrant(columns: GrantColumns): Grant {
  const { kind, leg, refunds, transaction } = columns
  switch (kind) {
    case 'initiate':
      return { kind, leg, consent: parseConsent(columns) }
    case 'redeem':
      return { kind, leg }
    case 'instant-refund':
      return { kind, leg, refunds: refunds ?? [], transaction }
  }
}

function parseConsent({ consent, signature, deadline }: GrantColumns): Consent {
  if (consent === 'signature' && signature !== null) return { kind: consent, signature }
  if (consent === 'prefunded' && deadline !== null) return { kind: consent, deadline: BigInt(deadline) }
  throw new Error(`a grant to initiate is stored without its consent: ${consent}`)
}

/** All columns of a consent are set, so that one consent can replace another. */
export function consentColumns(consent: Consent) {
  return {
    consent: consent.kind,
    signature: consent.kind === 'signature' ? consent.signature : null,
    deadline: consent.kind === 'prefunded' ? consent.deadline : null,
  }
}

/** The first grant of a kind wins; a repeat changes nothing. Returns true for the first. */
export async function addGrant(db: Database, orderId: string, grant: Exclude<Grant, InstantRefundGrant>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('grants')
    .values({ order_id: orderId, kind: grant.kind, leg: grant.leg, ...(grant.kind === 'initiate' && consentColumns(grant.consent)) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Adds refunds of deposits that have none yet: the first signed refund of a deposit wins. This must run in a transaction. */
export async function addInstantRefunds(tx: Database, orderId: string, refunds: readonly SignedInstantRefund[]): Promise<void> {
  const key = { order_id: orderId, kind: 'instant-refund', leg: 'source' } as const
  await tx
    .insertInto('grants')
    .values({ ...key, refunds: '[]' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const stored = tx.selectFrom('grants').select('refunds').where('order_id', '=', orderId).where('kind', '=', key.kind)
  const known = (await stored.forUpdate().executeTakeFirstOrThrow()).refunds ?? []
  const fresh = refunds.filter(({ deposit }) => !known.some((refund) => refund.deposit === deposit))
  await tx
    .updateTable('grants')
    .set({ refunds: JSON.stringify([...known, ...fresh.map(refundToRow)]) })
    .where('order_id', '=', orderId)
    .where('kind', '=', key.kind)
    .execute()
}

export async function noteInstantRefundTransaction(db: Database, orderId: string, transaction: string): Promise<void> {
  await db.updateTable('grants').set({ transaction }).where('order_id', '=', orderId).where('kind', '=', 'instant-refund').execute()
}

/** Amounts are texts, because JSON numbers are floats. */
function refundToRow(refund: SignedInstantRefund): StoredRefund {
  return { ...refund, amount: refund.amount.toString(), pays: refund.pays.toString() }
}
