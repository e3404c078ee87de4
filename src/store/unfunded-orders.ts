/** Orders that nobody has funded or granted anything for, page by page: they cost nothing to make and may be many. */
import type { ChainId } from '../protocol/chain.ts'
import type { Order } from '../protocol/order.ts'
import type { Database } from './database.ts'
import { type OrderRow, parseOrder, selectOrders } from './order-rows.ts'
import { prepare } from './prepared.ts'

/** A place in their sequence, which is by deadline. */
export type UnfundedPlace = { readonly deadline: bigint; readonly seq: bigint }

const among = (condition: string, sequence: string) =>
  selectOrders(
    `join (
      select seq, deadline as until from order_list
      where status = 'created' and from_chain = $1 and ${condition} and not exists (select from grants where grants.order_id = order_list.order_id)
      order by deadline ${sequence}, seq ${sequence} limit $2
    ) unfunded on unfunded.seq = o.seq order by until, unfunded.seq`,
    ', o.seq::text as place',
  )
const selectAfter = prepare<OrderRow & { readonly place: string }>('list-unfunded-after', among('(deadline, seq) > ($3, $4)', 'asc'))
const selectLast = prepare<OrderRow & { readonly place: string }>('list-unfunded-last', among('deadline > $3', 'desc'))

/** The next ones after a place, and where they end; null when there are no more. */
export async function listUnfundedAfter(
  db: Database,
  chain: ChainId,
  { deadline, seq }: UnfundedPlace,
  limit: number,
): Promise<{ readonly orders: readonly Order[]; readonly end: UnfundedPlace | null }> {
  const rows = await selectAfter(db, [chain, limit, deadline.toString(), seq.toString()])
  const orders = rows.map((row) => parseOrder(row).order)
  const [last, row] = [orders.at(-1), rows.at(-1)]
  return { orders, end: rows.length < limit || !last || !row ? null : { deadline: last.deadline, seq: BigInt(row.place) } }
}

/** Those that can wait longest, which are the newest. */
export async function listUnfundedLast(db: Database, chain: ChainId, deadlineAfter: bigint, limit: number): Promise<readonly Order[]> {
  return (await selectLast(db, [chain, limit, deadlineAfter.toString()])).map((row) => parseOrder(row).order)
}
