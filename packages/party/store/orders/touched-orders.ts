/** Orders to derive again: something was recorded about them (triggers insert the rows), or a clock has left its range. */

import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { OrderStatus } from '@tandem/protocol/state.ts'
import { sql } from 'kysely'
import { actionRow, type WantedAction } from '../actions/actions.ts'
import { bigint, boolean, listOf, shape, text, type ValueOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { callOf, inShortTransaction } from '../database/short-transaction.ts'

/** The same number as in the function `shard_of` of the database. */
export const SHARDS = 32

/** Marks these orders, as a trigger does when something is recorded about them. */
export async function touchOrders(db: Database, orderIds: readonly string[]): Promise<void> {
  if (orderIds.length > 0) await sql`insert into touched_orders (order_id) select unnest(${orderIds}::text[])`.execute(db)
}

/**
 * The names of clocks. 'now', 'settle': unix seconds by the party's clock. 'recheck': unix milliseconds. 'facts': no clock, but the mark of what was on
 * record.
 */
export type OrderClock = 'now' | 'settle' | 'recheck' | 'facts' | `${ChainId} ${'height' | 'time' | 'final' | 'age'}`

/** `since` <= value < `until`; null: no bound. */
export type StoredRange = {
  readonly orderId: string
  readonly clock: OrderClock
  readonly since: bigint | null
  readonly until: bigint | null
}

export type TakeQuery = {
  /** Their recorded tips are the clocks. */
  readonly chains: readonly ChainId[]
  /** The value of the clock 'final' of a chain without a finality tag. */
  readonly untagged: bigint
  readonly now: bigint
  readonly nowMs: bigint
  /** They limit the due orders. Touched ones are taken by any engine. */
  readonly shards: readonly number[]
  /** Only marks up to this one, see `newestMark`: another engine is about to take the newer ones. Default: all. */
  readonly upToMark?: bigint
  /** The most of each kind. */
  readonly limit: number
}

export type TakenOrders = {
  readonly orderIds: readonly string[]
  /** There may be more. */
  readonly isFull: boolean
  readonly newlyWanted: boolean
  /** The number of the newest mark of a touched order when the orders were taken. */
  readonly newestMark: bigint
}

const takenRow = shape({
  touched: listOf(text),
  order_ids: listOf(text),
  news: listOf(text),
  is_full: boolean,
  newest_mark: bigint,
})
const writtenRow = shape({ write_derived: boolean })

export type DerivedOrders = {
  /** Their wanted actions become equal to `wanted`. */
  readonly orderIds: readonly string[]
  readonly wanted: readonly WantedAction[]
  /** Keys of initiations that need no cancelling when they are dropped. */
  readonly confirmed: ReadonlySet<string>
  /** The order lists show them. */
  readonly statuses: readonly { readonly orderId: string; readonly status: OrderStatus }[]
  /** The ranges of all orders that were taken. They replace those on record. */
  readonly ranges: readonly StoredRange[]
}

/**
 * Takes touched orders that no other transaction has taken, and due orders of these shards, and writes what `derive` returns, in one transaction of
 * three messages. Meanwhile nobody else derives them. If it fails, they stay touched or due. `news`: those that something was recorded about, and whose
 * ranges 'now' and 'facts' are not stored.
 */
export async function deriveOrders(
  db: Database,
  query: TakeQuery,
  derive: (connection: Database, orderIds: readonly string[], news: ReadonlySet<string>) => Promise<DerivedOrders>,
): Promise<TakenOrders> {
  return inShortTransaction<TakenOrders>(db, callOf('take_orders', queryToJson(query)), async ({ connection, commit }, [row]) => {
    const taken = takenRow(row)
    const { order_ids: orderIds, newest_mark: newestMark } = taken
    if (orderIds.length === 0) {
      await commit()
      return { orderIds, isFull: false, newlyWanted: false, newestMark }
    }
    const derived = await derive(connection, orderIds, new Set(taken.news))
    const written = callOf('write_derived', derivedToJson(taken, derived))
    const [result] = await commit(written)
    return { orderIds, isFull: taken.is_full, newlyWanted: writtenRow(result).write_derived, newestMark }
  })
}

/** Meanwhile nobody else derives these orders: what `work` reads and writes is not older than what is on record. */
export async function derivingAlone(db: Database, orderIds: readonly string[], work: (tx: Database) => Promise<void>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`select lock_orders(${orderIds}::text[])`.execute(tx)
    await work(tx)
  })
}

/** Numbers that may be large are sent as text: JSON numbers are floats. */
function queryToJson({ chains, untagged, now, nowMs, shards, upToMark, limit }: TakeQuery) {
  return {
    chains,
    untagged: untagged.toString(),
    now: now.toString(),
    nowMs: nowMs.toString(),
    shards,
    upToMark: upToMark?.toString() ?? null,
    limit,
  }
}

function derivedToJson({ touched, order_ids }: ValueOf<typeof takenRow>, { orderIds, wanted, confirmed, statuses, ranges }: DerivedOrders) {
  return {
    touched,
    orders: order_ids,
    derived: orderIds,
    wanted: wanted.map(actionRow),
    confirmed: [...confirmed],
    statuses: statuses.map(({ orderId, status }) => ({ id: orderId, status })),
    ranges: ranges.map(({ orderId, clock, since, until }) => ({
      order_id: orderId,
      clock,
      since: since?.toString() ?? null,
      until: until?.toString() ?? null,
    })),
  }
}
