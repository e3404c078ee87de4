/** Stores the results of a solver's orders, and reads the open worth by app, owner and pair, from which caps are computed. */
import { bigintText, nullable, number, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'

/** By then a deposit in a block of the last second is recorded. */
const GRACE_SECONDS = 600n
const MAX_JUDGED = 2000
export const MAX_CUSTOMERS = 20_000

/** Locked rows are judged next time: see `noteGains`. */
const judgeOrders = prepare(
  'judge-order-risks',
  shape({ order_id: text }),
  `with due as (
    (select order_id from order_risks where outcome is null and deadline < $1 order by deadline limit ${MAX_JUDGED})
    union
    (select order_id from order_risks where closed and outcome is null limit ${MAX_JUDGED})
  ), judged as (
    select due.order_id, case
      when not is_funded(source) then 'abandoned'
      when orders.closed_at is not null and exists (
        select from events where chain = source.chain and swap_id = source.swap_id and kind = 'redeemed' and block_height is not null
      ) then 'completed'
      when exists (
        select from events where chain = destination.chain and swap_id = destination.swap_id and kind = 'refunded' and block_height is not null
      ) then case when orders.client_secret then 'withheld' else 'failed' end
      -- The user took the deposit back before the solver paid: it chose not to go on, as with an order that it never funded.
      when orders.closed_at is not null and orders.declined is null and not exists (
        select from events where chain = destination.chain and swap_id = destination.swap_id and kind = 'initiated'
      ) then 'abandoned'
      when orders.closed_at is not null then 'failed'
    end as outcome
    from due
      join orders on orders.id = due.order_id
      join swaps as source on source.order_id = due.order_id and source.leg = 'source'
      join swaps as destination on destination.order_id = due.order_id and destination.leg = 'destination'
  ), locked as materialized (
    select order_id, judged.outcome from order_risks join judged using (order_id) where judged.outcome is not null
    for update of order_risks skip locked
  )
  update order_risks set outcome = locked.outcome, judged_at = coalesce(judged_at, $2::bigint) from locked
  where order_risks.order_id = locked.order_id
  returning order_risks.order_id`,
)

/**
 * Records how orders ended: the unfunded ones after their deadline, the others when they are closed or the solver took its payment back.
 */
export async function judgeOrderRisks(db: Database, now: bigint): Promise<number> {
  return (await judgeOrders(db, [(now - GRACE_SECONDS).toString(), now.toString()])).length
}

export type Load = { readonly openOrders: number; readonly openUsdMicros: bigint; readonly windowUsdMicros: bigint }

const loadColumns = { openOrders: number, openUsdMicros: bigintText, windowUsdMicros: bigintText }

/** An order is open for longer than this only if something is wrong; its money counts until then. */
const MAX_OPEN_SECONDS = 259_200n

const selectPairLoads = prepare(
  'select-pair-loads',
  shape({ ...loadColumns, pair: text }),
  `select pair, count(*) filter (where outcome is null)::integer as "openOrders",
    coalesce(sum(usd_micros) filter (where outcome is null), 0)::text as "openUsdMicros",
    coalesce(sum(usd_micros) filter (where at > to_timestamp($2)), 0)::text as "windowUsdMicros"
  from reservations join order_risks using (order_id)
  where at > to_timestamp($1) and ($3::text is null or (pair = $3 and order_id <> $4)) group by pair`,
)

/** Only orders with reserved inventory count, so nobody can use up the cap of a pair without money. */
export async function readPairLoads(
  db: Database,
  times: { readonly now: bigint; readonly since: bigint },
): Promise<ReadonlyMap<string, Load>> {
  const rows = await selectPairLoads(db, [...rangeOf(times), null, null])
  return new Map(rows.map(({ pair, ...load }) => [pair, load]))
}

export async function readPairLoad(
  db: Database,
  times: { readonly now: bigint; readonly since: bigint },
  pair: string,
  without: string,
): Promise<Load> {
  const [row] = await selectPairLoads(db, [...rangeOf(times), pair, without])
  return row === undefined ? { openOrders: 0, openUsdMicros: 0n, windowUsdMicros: 0n } : row
}

function rangeOf({ now, since }: { readonly now: bigint; readonly since: bigint }): readonly [string, string] {
  const oldest = now - MAX_OPEN_SECONDS
  return [(oldest < since ? oldest : since).toString(), since.toString()]
}

const selectCustomerLoads = prepare(
  'select-customer-loads',
  shape({ ...loadColumns, app: text, owner: nullable(text) }),
  `select app, owner, count(*) filter (where is_open)::integer as "openOrders",
    coalesce(sum(usd_micros) filter (where is_open), 0)::text as "openUsdMicros",
    coalesce(sum(usd_micros) filter (where created_at > $2 and outcome is distinct from 'abandoned'), 0)::text as "windowUsdMicros"
  from (
    select order_risks.*, outcome is null and (deadline > $3 or reservations.order_id is not null) as is_open
    from order_risks left join reservations using (order_id) where created_at > $1
  ) as recent
  group by grouping sets ((app), (app, owner)) having grouping(owner) = 1 or owner <> ''
  order by grouping(owner) desc, "openOrders" desc limit ${MAX_CUSTOMERS}`,
)

/** All orders that may still be funded count: an app or an owner can use up only its own cap. */
export async function readCustomerLoads(
  db: Database,
  { now, since }: { readonly now: bigint; readonly since: bigint },
): Promise<readonly (Load & { readonly app: string; readonly owner: string | null })[]> {
  const oldest = now - MAX_OPEN_SECONDS
  return selectCustomerLoads(db, [(oldest < since ? oldest : since).toString(), since.toString(), now.toString()])
}

export type OrderRisk = { readonly pair: string; readonly usdMicros: bigint; readonly service: string }

export async function findOrderRisk(db: Database, orderId: string): Promise<OrderRisk | null> {
  const row = await db
    .selectFrom('order_risks')
    .select(['pair', 'usd_micros', 'service'])
    .where('order_id', '=', orderId)
    .executeTakeFirst()
  return row === undefined ? null : { pair: row.pair, usdMicros: row.usd_micros, service: row.service }
}
