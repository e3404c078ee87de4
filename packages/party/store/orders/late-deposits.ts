/**
 * Pages through open orders with a deposit address that take no more funding and have no recorded amount there. Those where money was seen are listed apart:
 * no stranger makes many of them for nothing. The others are listed by the time since their deadline, so that new ones do not delay old ones, nor old ones new ones.
 */
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { bigintText, number, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { orderColumns, parseOrder, type StoredOrder, selectOrders } from './order-rows.ts'

const hasNoAmount = (orderId: string) => `not exists (select from prefunds p where p.order_id = ${orderId} and p.amount > 0)`

/** Each number is a literal in the statement: see `UNFUNDED_PAGE`. */
const FUNDED_PAGE = 100
const EXPIRED_PAGE = 44

const selectFunded = prepare(
  'list-funded-deposits',
  shape({ ...orderColumns, place: text }),
  selectOrders(
    `join order_list l on l.seq = o.seq
      where s.chain = $1 and s.deposit_address is not null and s.open and s.funded and s.order_id > $3
        and (l.deadline < $2 or l.status not in ('created', 'initiate_detected')) and ${hasNoAmount('o.id')}
      order by s.order_id limit ${FUNDED_PAGE}`,
    ', s.order_id as place',
  ),
)

/** Money was seen at their addresses, or they were initiated. `end` is null if there are no more. */
export async function listFundedDeposits(
  db: Database,
  chain: ChainId,
  query: { readonly now: bigint; readonly after: string },
): Promise<{ readonly orders: readonly StoredOrder[]; readonly end: string | null }> {
  const rows = await selectFunded(db, [chain, query.now.toString(), query.after])
  return { orders: rows.map((row) => parseOrder(row)), end: rows.length < FUNDED_PAGE ? null : (rows.at(-1)?.place ?? null) }
}

export type ExpiredPlace = { readonly deadline: bigint; readonly seq: bigint }

/** The deadlines are from `since` to before `until`, and after this place. */
type ExpiredAge = { readonly since: bigint; readonly until: bigint; readonly after: ExpiredPlace }

const selectExpired = prepare(
  'list-expired-deposits',
  shape({ ...orderColumns, age: number, place: bigintText }),
  selectOrders(
    `join (
      select age.number as age, page.* from json_to_recordset($2::json) as age (number integer, since bigint, until bigint, deadline bigint, seq bigint),
      lateral (
        select l.order_id, l.seq, l.deadline as expired_at from order_list l join swaps w on w.order_id = l.order_id and w.leg = 'source'
        where l.takes_deposits and l.status in ('created', 'initiate_detected', 'expired') and l.from_chain = $1
          and l.deadline >= age.since and l.deadline < age.until and (l.deadline, l.seq) > (age.deadline, age.seq)
          and w.open and not w.funded and ${hasNoAmount('l.order_id')}
        order by l.deadline, l.seq limit ${EXPIRED_PAGE}
      ) page
    ) late on late.order_id = o.id order by late.age, late.expired_at, late.seq`,
    ', late.age, late.seq::text as place',
  ),
)

/** Returns a page of each age, and the end of each; null if there are no more of this age. */
export async function listExpiredDeposits(
  db: Database,
  chain: ChainId,
  ages: readonly ExpiredAge[],
): Promise<readonly { readonly orders: readonly StoredOrder[]; readonly end: ExpiredPlace | null }[]> {
  const given = ages.map(({ since, until, after: { deadline, seq } }, number) => ({
    number,
    since: `${since}`,
    until: `${until}`,
    deadline: `${deadline}`,
    seq: `${seq}`,
  }))
  const rows = await selectExpired(db, [chain, JSON.stringify(given)])
  const parsed = rows.map((row) => ({ age: row.age, stored: parseOrder(row), seq: row.place }))
  return ages.map((_, age) => {
    const page = parsed.filter((row) => row.age === age)
    const last = page.at(-1)
    const end = last === undefined || page.length < EXPIRED_PAGE ? null : { deadline: last.stored.order.deadline, seq: last.seq }
    return { orders: page.map(({ stored }) => stored), end }
  })
}
