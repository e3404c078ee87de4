/** Searches orders by filters. One statement returns the exact total and one page, at any offset. */

import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import { type OrderStatus, orderStatuses } from '@tandem/protocol/state.ts'
import { type RawBuilder, sql } from 'kysely'
import { anyOf } from '../database/any-of.ts'
import { bigint, listOrNull, shape, text } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { readRows } from '../database/prepared.ts'
import { BUCKET_BITS, EVERY } from './order-counts.ts'

/** A null filter allows all. A filter with several values allows any of them. */
export type OrderFilter = {
  /** Without an address, secret hash or transaction in the filter, only the orders of the asker are found. */
  readonly asker: Asker
  readonly apps: readonly string[] | null
  readonly statuses: readonly OrderStatus[] | null
  readonly fromChains: readonly ChainId[] | null
  readonly toChains: readonly ChainId[] | null
  readonly solverIds: readonly string[] | null
  /** Owners' addresses, deposit addresses, or keys of orders. A refund address that was changed counts beside the owner. */
  readonly addresses: readonly string[] | null
  readonly chains: readonly ChainId[]
  readonly fromOwners: readonly string[] | null
  readonly toOwners: readonly string[] | null
  readonly secretHashes: readonly Hex32[] | null
  readonly txs: readonly string[] | null
}

/** An app asks for its orders. `all` is for callers that may see the orders of every app. */
export type Asker = { readonly kind: 'app'; readonly name: string } | { readonly kind: 'all' }

export type Window = { readonly offset: number; readonly limit: number }

export type FoundOrders = { readonly total: number; readonly orderIds: readonly string[] }

export async function searchOrders(db: Database, filter: OrderFilter, window: Window): Promise<FoundOrders> {
  const named = [filter.addresses, filter.fromOwners, filter.toOwners, filter.secretHashes, filter.txs].some((values) => values !== null)
  const { asker, apps } = filter
  if (!named && asker.kind === 'app' && apps !== null && !apps.includes(asker.name)) return { total: 0, orderIds: [] }
  const statement = named ? searchNamed(filter, window) : searchOwn(filter, window)
  const [found] = await readRows(db, shape({ total: bigint, ids: listOrNull(text) }))`${statement}`
  return { total: Number(found?.total ?? 0n), orderIds: found?.ids ?? [] }
}

/** With one value the index returns rows in order; with several it does not. */
export function among(column: string, values: readonly string[]): RawBuilder<boolean> {
  const name = sql.ref(column)
  return values.length === 1 ? sql<boolean>`${name} = ${values[0]}` : sql<boolean>`${name} = ${anyOf(values)}`
}

export function allOf(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`
}

type Kind = { readonly column: 'status' | 'from_chain' | 'to_chain' | 'solver_id'; readonly values: readonly string[] | null }

function kindOf(filter: OrderFilter): readonly Kind[] {
  return [
    { column: 'status', values: filter.statuses },
    { column: 'from_chain', values: filter.fromChains },
    { column: 'to_chain', values: filter.toChains },
    { column: 'solver_id', values: filter.solverIds },
  ]
}

function matching(kind: readonly Kind[]): readonly RawBuilder<boolean>[] {
  return kind.flatMap(({ column, values }) => (values === null ? [] : [among(column, values)]))
}

/** Lists and counters begin with the app, so that all of them are named to use the index. */
function ownedBy({ asker, apps }: OrderFilter): RawBuilder<boolean> {
  if (asker.kind === 'app') return among('app', [asker.name])
  return apps === null ? sql<boolean>`app = any(array(select name from apps))` : among('app', apps)
}

/** Scanning this many rows is cheap. A page that spans more is read by combination, with `kindsOf`. */
const NEAR = 8 << BUCKET_BITS

/** The counters give the total and the buckets of the page; only those buckets are scanned. */
function searchOwn(filter: OrderFilter, { offset, limit }: Window): RawBuilder<unknown> {
  const kind = kindOf(filter)
  const own = ownedBy(filter)
  const counted = allOf([own, ...kind.map(({ column, values }) => among(column, values ?? [EVERY]))])
  const listed = allOf([own, ...matching(kind)])
  const here = sql`seq >= (select first from place) and seq < (select behind from place)`
  const far = sql`(select behind - first from place) > ${NEAR}::bigint`
  return sql`
    with found as (
      select bucket, sum(orders)::bigint as orders from (
        select bucket, orders from order_counts where ${counted}
        union all
        select bucket, orders from order_count_changes where ${listed}
      ) as counts group by bucket having sum(orders) > 0
    ), running as (
      select bucket, orders, sum(orders) over (order by bucket desc)::bigint as until from found
    ), place as (
      select min(bucket) << ${BUCKET_BITS}::int as first, (max(bucket) + 1) << ${BUCKET_BITS}::int as behind,
        greatest(0, ${offset}::bigint - min(until - orders)) as skipped
      from running where until > ${offset}::bigint and until - orders < ${offset}::bigint + ${limit}::bigint
    ), page as (
      (select seq from order_list where ${listed} and ${here} and not ${far}
        order by seq desc offset (select skipped from place) limit ${limit}::bigint)
      union all
      (select found_one.seq from (${kindsOf(filter, far)}) as kinds, lateral (
          select seq from order_list where ${own} and status = kinds.status and from_chain = kinds.from_chain
            and to_chain = kinds.to_chain and solver_id = kinds.solver_id and ${here} offset 0
        ) as found_one
        order by 1 desc offset (select skipped from place) limit ${limit}::bigint)
    )
    ${answer(sql`select coalesce(sum(orders), 0) from found`)}`
}

/** Returns the existing combinations of status, chains and solver. With a value for each column this takes a few index lookups. */
function kindsOf(filter: OrderFilter, only: RawBuilder<unknown>): RawBuilder<unknown> {
  const chosen = allOf([
    ownedBy(filter),
    among('status', filter.statuses ?? orderStatuses),
    among('from_chain', filter.fromChains ?? filter.chains),
    among('to_chain', filter.toChains ?? filter.chains),
    filter.solverIds === null ? sql<boolean>`solver_id <> ${EVERY}` : among('solver_id', filter.solverIds),
  ])
  return sql`
    select status, from_chain, to_chain, solver_id from order_counts where ${chosen} and ${only}
    union
    select status, from_chain, to_chain, solver_id from order_count_changes where ${chosen} and ${only}`
}

function answer(total: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select (${total})::bigint as total,
    (select array_agg(order_id order by seq desc) from order_list where seq in (select seq from page)) as ids`
}

/** A search by address, secret hash or transaction matches few orders, or those of one busy owner. */
function searchNamed(filter: OrderFilter, { offset, limit }: Window): RawBuilder<unknown> {
  const { apps, addresses, fromOwners, toOwners, secretHashes, txs } = filter
  const rest = [
    ...(apps === null ? [] : [among('app', apps)]),
    ...matching(kindOf(filter)),
    ...(fromOwners === null ? [] : [among('from_owner', fromOwners)]),
    ...(toOwners === null ? [] : [among('to_owner', toOwners)]),
    ...(secretHashes === null ? [] : [sql<boolean>`seq in (select seq from orders where ${among('secret_hash', secretHashes)})`]),
    ...(txs === null ? [] : [sql<boolean>`seq in (${ordersOfTransactions(txs)})`]),
  ]
  const ways = waysOf(filter).map((way) => allOf([...rest, ...way]))
  // For one owner the index returns orders sorted and can stop early; for several owners there are few enough to sort.
  const inSequence = [addresses, fromOwners, toOwners].every((owners) => owners === null || owners.length === 1)
  const end = inSequence ? sql`order by seq desc limit ${offset + limit}::bigint` : sql`offset 0`
  const heads = ways.map((way) => sql`(select seq from order_list where ${way} ${end})`)
  const counts = ways.map((way) => sql`(select count(*) from order_list where ${way})`)
  return sql`
    with page as (
      select seq from (${sql.join(heads, sql` union all `)}) as named order by seq desc offset ${offset}::bigint limit ${limit}::bigint
    )
    ${answer(sql`select ${sql.join(counts, sql` + `)}`)}`
}

type Way = readonly RawBuilder<boolean>[]

const TO_ANOTHER = sql<boolean>`to_owner <> from_owner`

/** Each branch uses one index, and each order matches exactly one branch. */
function waysOf({ addresses, fromOwners, toOwners, secretHashes, txs, chains }: OrderFilter): readonly Way[] {
  if (addresses !== null) return waysTo(addresses, chains)
  if (toOwners === null || fromOwners !== null || secretHashes !== null || txs !== null) return [[]]
  return [[TO_ANOTHER], [among('from_owner', toOwners), sql<boolean>`to_owner = from_owner`]]
}

/** Each order matches exactly one branch. */
export function waysTo(addresses: readonly string[], chains: readonly ChainId[]): readonly Way[] {
  const not = (column: string) => sql<boolean>`${sql.ref(column)} <> all(${addresses}::text[])`
  return [
    [among('from_owner', addresses)],
    [among('to_owner', addresses), TO_ANOTHER, not('from_owner')],
    [
      sql<boolean>`seq in (select orders.seq from orders where orders.id in (
        select order_id from swaps where chain = ${anyOf(chains)} and ${among('swap_id', addresses)}
        union all select order_id from swaps where ${among('order_key', addresses)}
        union all select order_id from swaps where ${among('deposit_address', addresses)}
        union all select order_id from swaps where ${among('user_address', addresses)} and (order_key is not null or client_key)))`,
      not('from_owner'),
      not('to_owner'),
    ],
  ]
}

function ordersOfTransactions(txs: readonly string[]): RawBuilder<unknown> {
  return sql`select orders.seq from events
    join swaps on swaps.chain = events.chain and swaps.swap_id = events.swap_id
    join orders on orders.id = swaps.order_id
    where ${among('events.tx', txs)}`
}
