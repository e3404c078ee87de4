/** Pages through orders without funding and without grants. They are free to make and may be many. */
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { bigintText, shape } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { orderColumns, parseOrder, selectOrders } from './order-rows.ts'

export type UnfundedPlace = { readonly deadline: bigint; readonly seq: bigint }

/** The number is a literal in the statement: with a parameter, PostgreSQL expects a large page and scans all orders. */
export const UNFUNDED_PAGE = 50

const among = (condition: string, sequence: string) =>
  selectOrders(
    `join (
      select order_id, seq, deadline as until from order_list
      where status = 'created' and from_chain = $1 and ${condition} and not exists (select from grants where grants.order_id = order_list.order_id)
      order by deadline ${sequence}, seq ${sequence} limit ${UNFUNDED_PAGE}
    ) unfunded on unfunded.order_id = o.id order by until, unfunded.seq`,
    ', unfunded.seq::text as place',
  )
const selectAfter = prepare(
  'list-unfunded-after',
  shape({ ...orderColumns, place: bigintText }),
  among('(deadline, seq) > ($2, $3)', 'asc'),
)
const selectLast = prepare('list-unfunded-last', shape({ ...orderColumns, place: bigintText }), among('deadline > $2', 'desc'))

/** Returns the next page after a cursor, and its end; null if there are no more. */
export async function listUnfundedAfter(
  db: Database,
  chain: ChainId,
  { deadline, seq }: UnfundedPlace,
): Promise<{ readonly orders: readonly Order[]; readonly end: UnfundedPlace | null }> {
  const rows = await selectAfter(db, [chain, deadline.toString(), seq.toString()])
  const orders = rows.map((row) => parseOrder(row).order)
  const [last, row] = [orders.at(-1), rows.at(-1)]
  return { orders, end: rows.length < UNFUNDED_PAGE || !last || !row ? null : { deadline: last.deadline, seq: row.place } }
}

export async function listUnfundedLast(db: Database, chain: ChainId, deadlineAfter: bigint): Promise<readonly Order[]> {
  return (await selectLast(db, [chain, deadlineAfter.toString()])).map((row) => parseOrder(row).order)
}
