/** Prefunded amounts: the balances at orders' own addresses when last read. */
import { sql } from 'kysely'
import type { ChainId } from '../../protocol/chain-id.ts'
import type { Order } from '../../protocol/order.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { type OrderRow, parseOrder, selectOrders } from './order-rows.ts'

/** `seenAt`: when the read started. An older read never replaces a newer one. */
export async function recordPrefund(db: Database, orderId: string, { amount, seenAt }: Sighting): Promise<void> {
  await sql`
    insert into prefunds (order_id, amount, seen_at) values (${orderId}, ${amount.toString()}, ${seenAt})
    on conflict (order_id) do update set amount = excluded.amount, seen_at = excluded.seen_at
    where prefunds.seen_at <= excluded.seen_at`.execute(db)
}

export type Sighting = { readonly amount: bigint; readonly seenAt: Date }

/** Uses the index on open orders for the sequence, and joins the list by its key for the filters. */
const selectAfter = prepare<OrderRow & { readonly place: string }>(
  'list-past-funding-after',
  selectOrders(
    `join order_list l on l.seq = o.seq
      where l.from_chain = $1 and o.closed_at is null and (l.deadline < $2 or l.status <> 'created') and o.seq > $3
        and not exists (select from prefunds p where p.order_id = o.id and p.amount > 0)
      order by o.seq limit $4`,
    ', o.seq::text as place',
  ),
)

/**
 * The next page of open orders that take no more funding (initiated, settled, or past their deadline) and without a recorded prefunded
 * amount. `end`: the cursor of the last; null if there are no more.
 */
export async function listPastFundingAfter(
  db: Database,
  chain: ChainId,
  query: { readonly now: bigint; readonly after: bigint; readonly limit: number },
): Promise<{ readonly orders: readonly Order[]; readonly end: bigint | null }> {
  const rows = await selectAfter(db, [chain, query.now.toString(), query.after.toString(), query.limit])
  const last = rows.at(-1)
  return { orders: rows.map((row) => parseOrder(row).order), end: rows.length < query.limit || !last ? null : BigInt(last.place) }
}
