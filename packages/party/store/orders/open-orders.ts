/** Goes through all open orders in pages, to heal what was missed. */
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { bigint, listOf, nullable, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { factsMarkOf } from './facts-mark.ts'

export type SweptPage = {
  readonly after: bigint
  readonly limit: number
  readonly shards: readonly number[]
  readonly rederived: number
  /** The `rederived` orders are taken from this group of `GROUPS` on. The id of an order decides its group. */
  readonly firstGroup: number
  readonly worthlessBelow: ReadonlyMap<ChainId, bigint>
  /** Orders with earlier deadlines may be closed if they are unfunded. */
  readonly deadline: bigint
}

/** A power of two, large enough that few orders share a group: each group begins a page at some time, and is then within the limit. */
export const GROUPS = 1024

/** An order with nothing but worthless deposits is inactive: it is derived when something happens to it, but not again without need. */
const isActive = `(
  exists (select from grants where grants.order_id = page.id)
  or exists (select from actions where actions.order_id = page.id)
  or exists (select from prefunds where prefunds.order_id = page.id and amount > 0)
  or exists (
    select from swaps join events on events.chain = swaps.chain and events.swap_id = swaps.swap_id
    where swaps.order_id = page.id and (events.kind <> 'initiated' or events.amount >= coalesce(($6::jsonb ->> swaps.chain)::numeric, 0))
  )
)`

const selectPage = prepare(
  'sweep-open-orders',
  shape({ orders: bigint, last: nullable(bigint), late: listOf(text) }),
  `with page as materialized (
    select id, seq, deadline, shard_of(id) as shard from orders where closed_at is null and seq > $1::bigint order by seq limit $2::integer
  ), known as materialized (
    select page.id, page.shard, facts.since as mark, exists (select from order_clocks where order_id = page.id and clock in ('recheck', 'settle')) as rechecked
    from page left join order_clocks as facts on facts.order_id = page.id and facts.clock = 'facts'
    where page.shard = any($3::smallint[])
  ), missed as materialized (
    select id from known where coalesce(mark, 0) <> ${factsMarkOf('known.id')} and not (mark is null and rechecked)
      and not exists (select from touched_orders where touched_orders.order_id = known.id)
  ), again as (
    select id from known as page where mark is not null and ${isActive} order by ((hashtext(id) & ${GROUPS - 1}) - $5::integer) & ${GROUPS - 1}, id limit $4::integer
  ), touched as (
    insert into touched_orders (order_id) select id from missed union select id from again
  )
  select (select count(*) from page) as orders, (select max(seq) from page) as last,
    array(select id from page where deadline < $7::bigint) as late`,
)

/**
 * Marks orders of a page that must be derived: something was recorded about them since they were derived, or their group is the first one.
 * `late` have earlier deadlines. `end` is where the next page begins; null if there are no more.
 */
export async function sweepPage(db: Database, page: SweptPage): Promise<{ readonly late: readonly string[]; readonly end: bigint | null }> {
  const { after, limit, shards, rederived, firstGroup, worthlessBelow, deadline } = page
  const worthless = Object.fromEntries([...worthlessBelow].map(([chain, amount]) => [chain, amount.toString()]))
  const [row] = await selectPage(db, [after.toString(), limit, shards, rederived, firstGroup, worthless, deadline.toString()])
  return { late: row?.late ?? [], end: row === undefined || row.orders < BigInt(limit) ? null : row.last }
}
