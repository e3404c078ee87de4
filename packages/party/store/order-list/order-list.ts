/** Keeps the projection for searches: derived status and value of every order of an app. It is never the source of truth. */

import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { OrderWorth } from '@tandem/protocol/order-worth.ts'
import type { OrderStatus } from '@tandem/protocol/state.ts'
import { sql } from 'kysely'
import { shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'

/** Increase this when the derivation changes: then every list is rebuilt. */
const VERSION = 1

/** The limit is per chain and round. As a literal it makes the planner choose the index. */
const MAX_EXPIRED = 5000

/**
 * For orders without events only the deadline counts, by the later of our clock and the source chain's. If another transaction has just
 * changed the row, the condition on the status is evaluated again, because that status is newer.
 */
export async function expireListed(db: Database, chains: readonly ChainId[], now: bigint): Promise<void> {
  await sql`
    with clocks as (
      select chain, greatest(${now}::bigint, tip.time) as now from unnest(${chains}::text[]) as chain
        left join lateral (select time from blocks where blocks.chain = chain.chain order by height desc limit 1) as tip on true
    ), flipped as (
      select seq, 'created' as known, 'expired' as status from clocks, lateral (
        select seq from order_list where status = 'created' and from_chain = chain and deadline < clocks.now
        order by deadline limit ${MAX_EXPIRED}
      ) as late
      union all
      select seq, 'expired', 'created' from clocks, lateral (
        select seq from order_list where status = 'expired' and from_chain = chain and deadline >= clocks.now
        order by deadline desc limit ${MAX_EXPIRED}
      ) as early
    )
    update order_list set status = flipped.status from flipped where order_list.seq = flipped.seq and order_list.status = known`.execute(db)
}

const note = prepare(
  'note-status',
  shape({ order_id: text }),
  `with noted as (
      update order_list set status = $3 from orders where orders.id = $1 and order_list.seq = orders.seq and order_list.status = $2
      returning order_list.order_id
    )
    insert into touched_orders (order_id) select order_id from noted returning order_id`,
)

/**
 * Writes a derived status if the one on record is still the one that the caller read: then it has its event. Returns false otherwise. The
 * order is marked, so that an engine derives it again: the facts behind the status may have changed meanwhile. Each call takes one order: a
 * second lock could wait for an engine that waits for the first.
 */
export async function noteStatus(
  db: Database,
  { orderId, known, status }: { readonly orderId: string; readonly known: OrderStatus; readonly status: OrderStatus },
): Promise<boolean> {
  return (await note(db, [orderId, known, status])).length > 0
}

export type ListedOrder = { readonly orderId: string; readonly status: OrderStatus; readonly worth: OrderWorth }

export async function putListed(db: Database, orders: readonly ListedOrder[]): Promise<void> {
  await sql`
    insert into order_list
    select orders.seq, orders.id, orders.app, orders.solver_id, source.chain, destination.chain,
      coalesce(nullif(orders.source_owner, ''), source.user_address, ''), orders.destination_owner,
      derived.status, orders.deadline, extract(epoch from orders.created_at)::bigint, derived.volume, derived.fee,
      source.deposit_address is not null
    from unnest(
        ${orders.map(({ orderId }) => orderId)}::text[], ${orders.map(({ status }) => status)}::text[],
        ${orders.map(({ worth }) => worth.volumeUsdMicros)}::bigint[], ${orders.map(({ worth }) => worth.feeUsdMicros)}::bigint[]
      ) as derived (id, status, volume, fee)
      join orders on orders.id = derived.id
      join swaps as source on source.order_id = orders.id and source.leg = 'source'
      join swaps as destination on destination.order_id = orders.id and destination.leg = 'destination'
    where orders.app is not null
    on conflict (seq) do update set order_id = excluded.order_id, app = excluded.app, solver_id = excluded.solver_id,
      from_chain = excluded.from_chain, to_chain = excluded.to_chain, from_owner = excluded.from_owner, to_owner = excluded.to_owner,
      status = excluded.status, deadline = excluded.deadline, created_at = excluded.created_at, volume = excluded.volume, fee = excluded.fee,
      takes_deposits = excluded.takes_deposits
    where order_list is distinct from excluded`.execute(db)
}

/** Only orders of apps are listed, by id. */
export async function listAppOrderIds(db: Database, after: string, limit: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('orders')
    .select('id')
    .where('id', '>', after)
    .where('app', 'is not', null)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export async function countAppOrders(db: Database): Promise<number> {
  const row = await db
    .selectFrom('orders')
    .select((expression) => expression.fn.countAll().as('count'))
    .where('app', 'is not', null)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

export async function dropListedStrangers(db: Database): Promise<void> {
  await sql`
    delete from order_list where not exists (
      select from orders where orders.id = order_list.order_id and orders.seq = order_list.seq and orders.app is not null
    )`.execute(db)
}

export async function isListTrusted(db: Database): Promise<boolean> {
  const row = await db.selectFrom('projections').select('version').where('name', '=', 'order_list').executeTakeFirst()
  return row?.version === VERSION
}

export async function trustList(db: Database): Promise<void> {
  await sql`
    insert into projections (name, version) values ('order_list', ${VERSION})
    on conflict (name) do update set version = excluded.version, built_at = now()`.execute(db)
}
