/** Reads and updates orders. Agreed terms never change; the refund address, the secret and the closing time are set later. */

import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { ActionVerb, Leg } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import { lockChains } from '../chain/chain-lock.ts'
import { MAX_EVENTS_READ, readConsideredEvents } from '../chain/considered-events.ts'
import { anyOf } from '../database/any-of.ts'
import { boolean, listOf, nullable, shape, text, type ValueOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { prepare, readRows } from '../database/prepared.ts'
import {
  type OrderSnapshot,
  orderColumns,
  orderRow,
  parseOrder,
  parseSnapshot,
  type StoredOrder,
  selectOrders,
  selectSnapshots,
  snapshotRow,
} from './order-rows.ts'

export type { OrderSnapshot, StoredOrder } from './order-rows.ts'

const selectById = prepare('find-order', orderRow, selectOrders('where o.id = $1'))
const selectSnapshotsByIds = prepare('find-order-snapshots', snapshotRow, selectSnapshots('where o.id = any($1) order by o.seq desc'))

export async function findOrder(db: Database, id: string): Promise<StoredOrder | null> {
  const [row] = await selectById(db, [id])
  return row === undefined ? null : parseOrder(row)
}

export async function findOrderSnapshots(db: Database, ids: readonly string[]): Promise<readonly OrderSnapshot[]> {
  return ids.length === 0 ? [] : Promise.all([...(await findEachSnapshot(db, ids)).values()])
}

/** Each snapshot is ready on its own: an order with very many deposits takes longer, and must not delay the others. */
export async function findEachSnapshot(db: Database, ids: readonly string[]): Promise<ReadonlyMap<string, Promise<OrderSnapshot>>> {
  const snapshots = (await selectSnapshotsByIds(db, [ids])).map(parseSnapshot)
  return new Map(snapshots.map((snapshot) => [snapshot.stored.order.id, withConsidered(db, snapshot)]))
}

/** If a swap has too many events to read all, only those of its considered deposits are read. */
async function withConsidered(db: Database, snapshot: OrderSnapshot): Promise<OrderSnapshot> {
  const read = async (leg: Leg) => {
    const events = snapshot.events[leg]
    if (events.length <= MAX_EVENTS_READ) return { events, unreadDeposits: 0 }
    const { chain, swapId } = snapshot.stored.order[leg]
    return readConsideredEvents(db, chain, swapId)
  }
  if (snapshot.events.source.length <= MAX_EVENTS_READ && snapshot.events.destination.length <= MAX_EVENTS_READ) return snapshot
  const [source, destination] = [await read('source'), await read('destination')]
  return {
    ...snapshot,
    events: { source: source.events, destination: destination.events },
    unreadDeposits: { source: source.unreadDeposits, destination: destination.unreadDeposits },
  }
}

const selectRepeated = prepare(
  'find-repeated-orders',
  shape({ ...orderColumns, by_key: nullable(boolean), by_nonce: nullable(boolean) }),
  selectOrders(
    `where o.id in (
      select id from orders where app = $1 and idempotency_key = $2
      union all
      select id from orders where app = $1 and source_owner = $3 and destination_owner = $4 and nonce = $5
    )`,
    `, o.idempotency_key = $2 as by_key, o.source_owner = $3 and o.destination_owner = $4 and o.nonce = $5 as by_nonce`,
  ),
)

export type Repetition = {
  readonly app: string
  readonly idempotencyKey: string | null
  readonly sourceOwner: string
  readonly destinationOwner: string
  readonly nonce: string | null
}

/** Finds earlier orders of the app with this idempotency key, and with this nonce of these owners. */
export async function findRepeated(
  db: Database,
  asked: Repetition,
): Promise<{ readonly byKey: StoredOrder | null; readonly byNonce: StoredOrder | null }> {
  if (asked.idempotencyKey === null && asked.nonce === null) return { byKey: null, byNonce: null }
  const rows = await selectRepeated(db, [asked.app, asked.idempotencyKey, asked.sourceOwner, asked.destinationOwner, asked.nonce])
  const parse = (row: ValueOf<typeof orderRow> | undefined) => (row === undefined ? null : parseOrder(row))
  return { byKey: parse(rows.find((row) => row.by_key === true)), byNonce: parse(rows.find((row) => row.by_nonce === true)) }
}

/** The check covers the orders of all apps. */
export async function isSecretHashUsed(db: Database, secretHash: string): Promise<boolean> {
  return (await db.selectFrom('orders').select('id').where('secret_hash', '=', secretHash).executeTakeFirst()) !== undefined
}

/** Sets the refund address if there is none yet, else returns false. `seal` is that of the source with this address. */
export async function setRefundAddress(db: Database, orderId: string, address: string, seal: string): Promise<boolean> {
  const { rows } = await sql`
    with given as (
      update swaps set user_address = ${address}, seal = ${seal}
      where order_id = ${orderId} and leg = 'source' and user_address is null returning order_id
    ), listed as (
      update order_list set from_owner = ${address} from given join orders on orders.id = given.order_id
      where order_list.seq = orders.seq and from_owner = ''
    )
    select order_id from given`.execute(db)
  return rows.length > 0
}

/** The mark must be durable before the secret leaves the process. It is never removed. */
export async function markSecretSigned(db: Database, orderId: string): Promise<void> {
  await db
    .updateTable('orders')
    .set({ secret_signed_at: new Date() })
    .where('id', '=', orderId)
    .where('secret_signed_at', 'is', null)
    .execute()
}

/** `deposits` is the number on both legs when the order was derived as finished. */
export type FinishedOrder = { readonly id: string; readonly chains: readonly ChainId[]; readonly deposits: number }

/**
 * Closes orders without wanted actions, if nothing was recorded about them since they were derived: a closed order is not derived again.
 * Their chains are locked, so that watchers cannot record meanwhile. Actions of the verbs in `outliving` do not keep an order open.
 */
export async function closeOrders(db: Database, finished: readonly FinishedOrder[], outliving: readonly ActionVerb[]): Promise<void> {
  if (finished.length === 0) return
  const orders = finished.map(({ id, deposits }) => ({ id, deposits }))
  await sql`select close_orders(${finished.flatMap(({ chains }) => chains)}, ${JSON.stringify(orders)}, ${outliving})`.execute(db)
}

/**
 * Closes orders that are still unfunded long after their deadline, by the time of recorded blocks. They are checked again with their chains
 * locked: a watcher that records a deposit at the same moment would not reopen an order that is not closed yet.
 */
export async function closeUnfundedOrders(
  db: Database,
  orderIds: readonly string[],
  lateSeconds: bigint,
  outliving: readonly ActionVerb[],
): Promise<void> {
  const isUnfunded = sql<boolean>`
    closed_at is null
    and not exists (select from actions where order_id = orders.id and verb <> all (${outliving}) and (wanted or cancelling))
    and not exists (
      select from swaps left join tips on tips.chain = swaps.chain
      where swaps.order_id = orders.id and coalesce(tips.time, 0) <= orders.deadline + ${lateSeconds.toString()}::bigint
    )
    and not exists (
      select from swaps join events on events.chain = swaps.chain and events.swap_id = swaps.swap_id where swaps.order_id = orders.id
    )`
  const tips = sql`tips as (select chain, max(time) as time from blocks group by chain)`
  const rows = await readRows(db, shape({ id: text, chains: listOf(text) }))`
    with ${tips}
    select id, (select array_agg(chain) from swaps where order_id = orders.id) as chains
    from orders where id = ${anyOf(orderIds)} and ${isUnfunded}`
  if (rows.length === 0) return
  await db.transaction().execute(async (tx) => {
    await lockChains(
      tx,
      rows.flatMap(({ chains }) => chains),
    )
    await sql`
      with ${tips}, closed as (
        update orders set closed_at = now() where id = ${anyOf(rows.map(({ id }) => id))} and ${isUnfunded} returning orders.id
      )
      delete from order_clocks using closed where order_clocks.order_id = closed.id`.execute(tx)
  })
}
