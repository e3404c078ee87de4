/** Orders at whose own addresses money may lie that serves them no more, and what is to be brought back of it. */
import { sql } from 'kysely'
import type { ChainId } from '../../protocol/chain.ts'
import { actionKey, type Order } from '../../protocol/order.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { type OrderRow, parseOrder, selectOrders } from '../orders/order-rows.ts'

/** From the open orders, which have an index in this sequence, to the few columns of each in the list, whose key it is. */
const selectAfter = prepare<OrderRow & { readonly place: string }>(
  'list-reclaimable-after',
  selectOrders(
    `join order_list l on l.seq = o.seq
      where l.from_chain = $1 and o.closed_at is null and (l.deadline < $2 or l.status <> 'created') and o.seq > $3
        and not exists (select from actions a where a.order_id = o.id and a.verb = 'reclaim' and a.wanted)
      order by o.seq limit $4`,
    ', o.seq::text as place',
  ),
)

/** The next ones after a place that are initiated, settled, or past their deadline, and where they end; null when there are no more. */
export async function listReclaimableAfter(
  db: Database,
  chain: ChainId,
  query: { readonly now: bigint; readonly after: bigint; readonly limit: number },
): Promise<{ readonly orders: readonly Order[]; readonly end: bigint | null }> {
  const rows = await selectAfter(db, [chain, query.now.toString(), query.after.toString(), query.limit])
  const last = rows.at(-1)
  return { orders: rows.map((row) => parseOrder(row).order), end: rows.length < query.limit || !last ? null : BigInt(last.place) }
}

/** What lies at the order's own address is to go back. Unlike all other actions it rests on no rule of the playbook: it can go to nobody but its owner. */
export async function wantReclaim(db: Database, orderId: string): Promise<void> {
  await sql`
    insert into actions (key, order_id, leg, verb, wanted) values (${actionKey(orderId, 'source', 'reclaim')}, ${orderId}, 'source', 'reclaim', true)
    on conflict (key) do update set wanted = true, due_at = now(), failures = 0, last_error = null, refusal = null, updated_at = now()
    where not actions.wanted`.execute(db)
}
