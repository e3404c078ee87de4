/** Selects orders to derive again: something was recorded about them (triggers insert the rows), or a clock has left its range. */

import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { OrderStatus } from '@tandem/protocol/state.ts'
import { sql } from 'kysely'
import { actionRow, type WantedAction } from '../actions/actions.ts'
import { bigint, boolean, listOf, shape, text, type ValueOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { callOf, inShortTransaction } from '../database/durably.ts'

/** The function `shard_of` of the database has the same number. */
export const SHARDS = 32

export async function touchOrders(db: Database, orderIds: readonly string[]): Promise<void> {
  if (orderIds.length > 0) await sql`insert into touched_orders (order_id) select unnest(${orderIds}::text[])`.execute(db)
}

/**
 * The names of clocks. 'now' and 'settle' are in unix seconds by the party's clock, 'recheck' in unix milliseconds. 'facts' is no clock,
 * but the mark of what was on record.
 */
export type OrderClock = 'now' | 'settle' | 'recheck' | 'facts' | `${ChainId} ${'height' | 'time' | 'final' | 'age'}`

/** The clock must be in `since` <= value < `until`. A null bound does not limit. */
export type StoredRange = {
  readonly orderId: string
  readonly clock: OrderClock
  readonly since: bigint | null
  readonly until: bigint | null
}

export type TakeQuery = {
  /** The recorded tips of these chains are the clocks. */
  readonly chains: readonly ChainId[]
  /** A chain without a finality tag has this value of the clock 'final'. */
  readonly untagged: bigint
  readonly now: bigint
  readonly nowMs: bigint
  /** The shards limit the due orders. Any engine takes touched ones. */
  readonly shards: readonly number[]
  /** Only marks up to this one are taken, see `newestMark`: another engine is about to take the newer ones. The default is all. */
  readonly upToMark?: bigint
  readonly limit: number
}

export type TakenOrders = {
  readonly orderIds: readonly string[]
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
  /** The wanted actions of these orders become equal to `wanted`. */
  readonly orderIds: readonly string[]
  readonly wanted: readonly WantedAction[]
  /** These keys are of initiations that need no cancelling when they are dropped. */
  readonly confirmed: ReadonlySet<string>
  readonly statuses: readonly { readonly orderId: string; readonly status: OrderStatus }[]
  /** These replace the recorded ranges of all orders that were taken. */
  readonly ranges: readonly StoredRange[]
}

/**
 * Takes touched orders that no other transaction has taken, and due orders of these shards, and writes what `derive` returns, in one
 * transaction of three messages. Meanwhile no other engine derives them. If the transaction fails, they stay touched or due. `changed` are
 * the orders that something was recorded about, and whose ranges 'now' and 'facts' are not stored.
 */
export async function deriveOrders(
  db: Database,
  query: TakeQuery,
  derive: (connection: Database, orderIds: readonly string[], changed: ReadonlySet<string>) => Promise<DerivedOrders>,
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

/** No other engine derives these orders meanwhile, so what `work` reads and writes is not older than what is on record. */
export async function derivingAlone(db: Database, orderIds: readonly string[], work: (tx: Database) => Promise<void>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`select lock_orders(${orderIds}::text[])`.execute(tx)
    await work(tx)
  })
}

/** Numbers that may be large are sent as text, because JSON numbers are floats. */
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
