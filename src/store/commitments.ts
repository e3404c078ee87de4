/** One way per order: whichever of the two is written first excludes the other for good. */
import type { Database } from './database.ts'

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

export async function isCommittedTo(db: Database, orderId: string, way: Way): Promise<boolean> {
  const row = await db.selectFrom('commitments').select('way').where('order_id', '=', orderId).executeTakeFirst()
  return row?.way === way
}
