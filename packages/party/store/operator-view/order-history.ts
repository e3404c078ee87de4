/** Reads the history of one order for its page. Signed transactions, secrets and signatures are never read. */

import type { ActionVerb, Grant, Leg } from '@tandem/protocol/order.ts'
import type { OrderStatus } from '@tandem/protocol/state.ts'
import { sql } from 'kysely'
import { bigint, boolean, nullable, number, shape, text, time } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { actionVerb, eventKind, leg, orderStatus } from '../database/domain-columns.ts'
import { readRows } from '../database/prepared.ts'
import { numberEvents } from '../events/order-events.ts'

const MOST = sql.lit(200)

export type SeenEvent = {
  readonly leg: Leg
  readonly kind: 'initiated' | 'redeemed' | 'refunded'
  readonly tx: string
  readonly amount: bigint | null
  readonly height: bigint | null
  readonly seenAt: Date
}

export type KnownAttempt = {
  readonly number: number
  readonly tx: string
  readonly sender: string
  readonly at: Date
  readonly revertedAt: Date | null
  readonly refusedAt: Date | null
}

export type ActionHistory = {
  readonly leg: Leg
  readonly verb: ActionVerb
  readonly wanted: boolean
  readonly cancelling: boolean
  readonly failures: number
  readonly lastError: string | null
  readonly refusal: string | null
  readonly dueAt: Date
  readonly isRunning: boolean
  readonly attempts: readonly KnownAttempt[]
}

export type OrderHistory = {
  readonly statuses: readonly { readonly status: OrderStatus; readonly at: Date }[]
  readonly events: readonly SeenEvent[]
  readonly grants: readonly { readonly kind: Grant['kind']; readonly leg: Leg; readonly at: Date }[]
  readonly actions: readonly ActionHistory[]
}

export async function readOrderHistory(db: Database, orderId: string): Promise<OrderHistory> {
  await numberEvents(db)
  const [statuses, events, grants, actions] = await Promise.all([
    readRows(db, shape({ status: orderStatus, at: time }))`
      select status, at from order_events where order_id = ${orderId} order by id desc limit ${MOST}`,
    readRows(db, shape({ leg: leg, kind: eventKind, tx: text, amount: nullable(bigint), block_height: nullable(bigint), seen_at: time }))`
      select leg, kind, tx, events.amount, block_height, seen_at
      from swaps join events on events.chain = swaps.chain and events.swap_id = swaps.swap_id
      where swaps.order_id = ${orderId} order by seen_at limit ${MOST}`,
    db.selectFrom('grants').select(['kind', 'leg', 'created_at']).where('order_id', '=', orderId).execute(),
    readActions(db, [orderId]),
  ])
  return {
    statuses: statuses.toReversed(),
    events: events.map(({ block_height, seen_at, ...event }) => ({ ...event, height: block_height, seenAt: seen_at })),
    grants: grants.map(({ created_at, ...grant }) => ({ ...grant, at: created_at })),
    actions: await withAttempts(db, orderId, actions.get(orderId) ?? []),
  }
}

export type KnownAction = Omit<ActionHistory, 'attempts'>

export async function readActions(db: Database, orderIds: readonly string[]): Promise<ReadonlyMap<string, readonly KnownAction[]>> {
  const rows = await readRows(
    db,
    shape({
      order_id: text,
      leg: leg,
      verb: actionVerb,
      wanted: boolean,
      cancelling: boolean,
      failures: number,
      last_error: nullable(text),
      refusal: nullable(text),
      due_at: time,
      running: boolean,
    }),
  )`
    select order_id, leg, verb, wanted, cancelling, failures, last_error, refusal, due_at, coalesce(lease_until > now(), false) as running
    from actions where order_id = any(${orderIds}::text[]) order by key`
  const byOrder = new Map<string, KnownAction[]>()
  for (const { order_id, last_error: lastError, due_at: dueAt, running: isRunning, ...action } of rows) {
    const known = byOrder.get(order_id) ?? []
    known.push({ ...action, lastError, dueAt, isRunning })
    byOrder.set(order_id, known)
  }
  return byOrder
}

async function withAttempts(db: Database, orderId: string, actions: readonly KnownAction[]): Promise<readonly ActionHistory[]> {
  const keyOf = ({ leg, verb }: KnownAction) => `${orderId}/${leg}/${verb}`
  const rows = await readRows(
    db,
    shape({ action_key: text, number: number, tx: text, sender: text, at: time, reverted_at: nullable(time), refused_at: nullable(time) }),
  )`
    select action_key, number, tx, sender, at, reverted_at, refused_at from attempts
    where action_key = any(${actions.map(keyOf)}::text[]) order by at limit ${MOST}`
  return actions.map((action) => ({
    ...action,
    attempts: rows
      .filter(({ action_key }) => action_key === keyOf(action))
      .map(({ action_key: _, reverted_at: revertedAt, refused_at: refusedAt, ...attempt }) => ({ ...attempt, revertedAt, refusedAt })),
  }))
}
