/** Pages through all open orders, to heal what was missed. */
import { sql } from 'kysely'
import { anyOf } from '../database/any-of.ts'
import type { Database } from '../database/database.ts'
import { isActive } from './orders.ts'

/** The next page after a cursor, and its end; null if there are no more. */
export async function listOpenAfter(
  db: Database,
  after: bigint,
  limit: number,
): Promise<{ readonly orderIds: readonly string[]; readonly end: bigint | null }> {
  const rows = await db
    .selectFrom('orders')
    .select(['id', 'seq'])
    .where('closed_at', 'is', null)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute()
  return { orderIds: rows.map(({ id }) => id), end: rows.length < limit ? null : (rows.at(-1)?.seq ?? null) }
}

/** Marks those of these orders that an engine must derive again. */
export async function touchActive(db: Database, orderIds: readonly string[], shards: readonly number[]): Promise<void> {
  await sql`
    insert into touched_orders (order_id)
    select id from orders where id = ${anyOf(orderIds)} and closed_at is null and shard_of(id) = any(${[...shards]}::smallint[]) and ${isActive}`.execute(
    db,
  )
}
