/** Pages through orders without funding and without grants. They are free to make and may be many. */
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { bigintText, shape } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { orderColumns, parseOrder, type StoredOrder, selectOrders } from './order-rows.ts'

export type UnfundedPlace = { readonly deadline: bigint; readonly seq: bigint }

/** Where payers have accounts, every order may be funded from one. Else only an order with a deposit address is read. */
export type UnfundedKind = 'all' | 'with-address'

/**
 * Each number is a literal in the statement: with a parameter, PostgreSQL expects a large page and scans all orders. One request reads many addresses, so
 * that strangers who make orders and pay none, 600 a minute in one app, do not keep a paid one from being read in time.
 */
export const UNFUNDED_PAGE = { all: 50, 'with-address': 200 } as const satisfies Record<UnfundedKind, number>

/** Each condition has a partial index. */
const unfunded: Readonly<Record<UnfundedKind, string>> = {
  all: `status = 'created'`,
  'with-address': `takes_deposits and status in ('created', 'initiate_detected')`,
}

const among = (kind: UnfundedKind, condition: string, sequence: string) =>
  selectOrders(
    `join (
      select order_id, seq, deadline as until from order_list
      where ${unfunded[kind]} and from_chain = $1 and ${condition} and not exists (select from grants where grants.order_id = order_list.order_id)
      order by deadline ${sequence}, seq ${sequence} limit ${UNFUNDED_PAGE[kind]}
    ) unfunded on unfunded.order_id = o.id order by until, unfunded.seq`,
    ', unfunded.seq::text as place',
  )
const rows = shape({ ...orderColumns, place: bigintText })
const after = (kind: UnfundedKind, name: string) => prepare(name, rows, among(kind, '(deadline, seq) > ($2, $3)', 'asc'))
const last = (kind: UnfundedKind, name: string) => prepare(name, rows, among(kind, 'deadline > $2', 'desc'))

const selectAfter = { all: after('all', 'list-unfunded-after'), 'with-address': after('with-address', 'list-addresses-after') }
const selectLast = { all: last('all', 'list-unfunded-last'), 'with-address': last('with-address', 'list-addresses-last') }

/** Returns the next page after a cursor, and its end; null if there are no more. */
export async function listUnfundedAfter(
  db: Database,
  chain: ChainId,
  kind: UnfundedKind,
  { deadline, seq }: UnfundedPlace,
): Promise<{ readonly orders: readonly StoredOrder[]; readonly end: UnfundedPlace | null }> {
  const found = await selectAfter[kind](db, [chain, deadline.toString(), seq.toString()])
  const orders = found.map((row) => parseOrder(row))
  const [newest, row] = [orders.at(-1), found.at(-1)]
  const end = found.length < UNFUNDED_PAGE[kind] || !newest || !row ? null : { deadline: newest.order.deadline, seq: row.place }
  return { orders, end }
}

export async function listUnfundedLast(
  db: Database,
  chain: ChainId,
  kind: UnfundedKind,
  deadlineAfter: bigint,
): Promise<readonly StoredOrder[]> {
  return (await selectLast[kind](db, [chain, deadlineAfter.toString()])).map((row) => parseOrder(row))
}
