/** Stores prefunded amounts: what the deposit address of an order, or the account of its payer, held for it at the last reading. */

import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { type Order, payerOf } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import { bigintText, shape } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { orderColumns, parseOrder, type StoredOrder, selectOrders } from './order-rows.ts'

/**
 * `seenAt` is when the reading started. An older reading never replaces a newer one. Where money was ever seen, later payments are looked for first
 * (`late-deposits.ts`).
 */
export async function recordPrefund(db: Database, orderId: string, { amount, seenAt }: Sighting): Promise<void> {
  await sql`
    with marked as (
      update swaps set funded = true
      where order_id = ${orderId} and leg = 'source' and deposit_address is not null and not funded and ${amount.toString()}::numeric > 0
    )
    insert into prefunds (order_id, amount, seen_at) values (${orderId}, ${amount.toString()}, ${seenAt})
    on conflict (order_id) do update set amount = excluded.amount, seen_at = excluded.seen_at
    where prefunds.seen_at <= excluded.seen_at`.execute(db)
}

/** The prefund in the account of a payer may be meant for another order that the payer initiates and that can still be funded. */
export async function mayFundAnother(db: Database, order: Order, now: bigint): Promise<boolean> {
  const { chain, depositAddress } = order.source
  if (depositAddress !== null) return false
  const { rows } = await sql`
    select from swaps s join orders o on o.id = s.order_id join order_list l on l.seq = o.seq
    where s.chain = ${chain} and s.leg = 'source' and s.initiator = ${payerOf(order)} and s.order_id <> ${order.id} and l.status = 'created' and l.deadline >= ${now.toString()}
    limit 1`.execute(db)
  return rows.length > 0
}

export type Sighting = { readonly amount: bigint; readonly seenAt: Date }

/** The index on open orders gives the sequence, and the list is joined by its key for the filters. */
const selectAfter = prepare(
  'list-past-funding-after',
  shape({ ...orderColumns, place: bigintText }),
  selectOrders(
    `join order_list l on l.seq = o.seq
      where l.from_chain = $1 and o.closed_at is null and (l.deadline < $2 or l.status <> 'created') and o.seq > $3
        and not exists (select from prefunds p where p.order_id = o.id and p.amount > 0)
      order by o.seq limit $4`,
    ', o.seq::text as place',
  ),
)

/**
 * Returns the next page of open orders that take no more funding (initiated, settled, or past their deadline) and have no recorded
 * prefunded amount. `end` is the cursor of the last order; null if there are no more.
 */
export async function listPastFundingAfter(
  db: Database,
  chain: ChainId,
  query: { readonly now: bigint; readonly after: bigint; readonly limit: number },
): Promise<{ readonly orders: readonly StoredOrder[]; readonly end: bigint | null }> {
  const rows = await selectAfter(db, [chain, query.now.toString(), query.after.toString(), query.limit])
  const last = rows.at(-1)
  return { orders: rows.map((row) => parseOrder(row)), end: rows.length < query.limit || !last ? null : last.place }
}
