/** Keeps the queue of webhook deliveries. Several processes share the work: each takes deliveries that no other process has. */

import type { OrderStatus } from '@tandem/protocol/state.ts'
import { sql } from 'kysely'
import { bigint, number, shape, text, time } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { orderStatus } from '../database/domain-columns.ts'
import { readRows } from '../database/prepared.ts'

export type Delivery = {
  readonly id: bigint
  readonly webhookId: string
  readonly messageId: string
  readonly orderId: string
  readonly status: OrderStatus
  readonly at: Date
  /** The count includes this attempt. */
  readonly attempts: number
}

/** No attempt takes longer. After this time another process takes over the deliveries. */
const LEASE_SECONDS = 60
/** The limit is per endpoint. A failing endpoint gets one delivery at a time. */
const AT_ONCE = 8
const FUNDED_AT_ONCE = 64
/** After this many failures an event stops holding back later ones of its order. */
const ORDERED_ATTEMPTS = 5
const DAYS_TRIED = 3
const DEAD_DAYS = 30
const MAX_DEAD = 10_000
const MAX_PRUNED = 5000
const MAX_PENDING = 100_000

/** Anyone who knows an app id can make orders that nobody pays. */
const isFunded = sql`status not in ('created', 'expired')`

/** The message is due, and the first of its order. */
const isNext = sql`dead_at is null and due_at <= now() and not exists (
  select from webhook_deliveries as earlier
  where earlier.webhook_id = delivery.webhook_id and earlier.order_id = delivery.order_id and earlier.id < delivery.id
    and earlier.dead_at is null and earlier.attempts < ${ORDERED_ATTEMPTS}
)`

/**
 * Takes deliveries of endpoints whose last delivery failed if `failing`, else of the others, and none of `busy` endpoints. Orders that
 * somebody has paid come first, with all their messages in order; the remaining ones are delivered from the oldest on.
 */
export async function takeDeliveries(db: Database, failing: boolean, busy: readonly string[], most: number): Promise<readonly Delivery[]> {
  const rows = await readRows(
    db,
    shape({ id: bigint, webhook_id: text, message_id: text, order_id: text, status: orderStatus, at: time, attempts: number }),
  )`
    with candidates as (
      select candidate.id, candidate.rank from webhooks cross join lateral (
        (
          select next.id, 0 as rank from (
            select order_id, min(id) as id from (
              select order_id, id from webhook_deliveries
              where webhook_id = webhooks.id and dead_at is null and due_at <= now() and ${isFunded} order by id limit ${FUNDED_AT_ONCE}
            ) as funded group by order_id
          ) as paid cross join lateral (
            select id from webhook_deliveries as delivery
            where delivery.webhook_id = webhooks.id and delivery.order_id = paid.order_id and ${isNext} order by id limit 1
          ) as next
          order by paid.id limit ${AT_ONCE}
        )
        union all
        (select id, 1 from webhook_deliveries as delivery where delivery.webhook_id = webhooks.id and ${isNext} order by id limit ${AT_ONCE})
        order by rank, id
      ) as candidate
      where (failures > 0) = ${failing} and resume_at <= now() and webhooks.id <> all (${busy}::text[])
    ), ranked as (
      select id, webhook_id, row_number() over (partition by webhook_id order by rank, id) as place
      from (select id, min(rank) as rank from candidates group by id) as once join webhook_deliveries using (id)
    ), chosen as (
      select id from webhook_deliveries
      where id in (select id from ranked where place <= ${failing ? 1 : AT_ONCE}) and dead_at is null and due_at <= now()
      limit ${most} for update skip locked
    )
    update webhook_deliveries set due_at = now() + make_interval(secs => ${LEASE_SECONDS}), attempts = attempts + 1
    where id in (select id from chosen)
    returning id, webhook_id, message_id, order_id, status, at, attempts`
  return rows.map((row) => ({
    id: row.id,
    webhookId: row.webhook_id,
    messageId: row.message_id,
    orderId: row.order_id,
    status: row.status,
    at: row.at,
    attempts: row.attempts,
  }))
}

export async function finishDelivery(db: Database, { id, webhookId }: Delivery): Promise<void> {
  await db.deleteFrom('webhook_deliveries').where('id', '=', id).execute()
  await db.updateTable('webhooks').set({ failures: 0 }).where('id', '=', webhookId).where('failures', '>', 0).execute()
}

/** With null the delivery is not tried again. */
export async function failDelivery(
  db: Database,
  { id, webhookId }: Delivery,
  { error, againInSeconds, restSeconds }: { readonly error: string; readonly againInSeconds: number | null; readonly restSeconds: number },
): Promise<void> {
  await sql`
    update webhook_deliveries set last_error = ${error}, due_at = now() + make_interval(secs => ${againInSeconds ?? 0}),
      dead_at = case when ${againInSeconds === null} then now() end
    where id = ${id}`.execute(db)
  await sql`
    update webhooks set failures = failures + 1, resume_at = now() + make_interval(secs => ${restSeconds}) where id = ${webhookId}`.execute(
    db,
  )
}

/**
 * Ends deliveries that were tried for three days, and deletes the oldest dead letters. From an endpoint with too many waiting messages it
 * deletes the oldest that cost nobody a deposit: anyone who knows an app id can make orders, and an endpoint may be down for days.
 */
export async function pruneDeliveries(db: Database, limits = { maxPending: MAX_PENDING }): Promise<void> {
  await sql`
    update webhook_deliveries set dead_at = now(), last_error = coalesce(last_error, 'not delivered within three days')
    where id in (
      select id from webhook_deliveries where dead_at is null order by id limit ${MAX_PRUNED}
    ) and tried_since < now() - make_interval(days => ${DAYS_TRIED})`.execute(db)
  await sql`
    delete from webhook_deliveries where id in (
      select dead.id from webhooks cross join lateral (
        select id from webhook_deliveries where webhook_id = webhooks.id and dead_at is not null order by id desc offset ${MAX_DEAD} limit ${MAX_PRUNED}
      ) as dead
    )`.execute(db)
  await sql`delete from webhook_deliveries where dead_at < now() - make_interval(days => ${DEAD_DAYS})`.execute(db)
  await sql`
    delete from webhook_deliveries where id in (
      select excess.id from webhooks cross join lateral (
        select id, status from webhook_deliveries
        where webhook_id = webhooks.id and dead_at is null order by webhook_id desc, id desc offset ${limits.maxPending} limit ${MAX_PRUNED}
      ) as excess where not (${isFunded})
    )`.execute(db)
}

export async function replayDead(db: Database, webhookId: string): Promise<number> {
  const rows = await readRows(db, shape({ id: bigint }))`
    update webhook_deliveries set dead_at = null, attempts = 0, due_at = now(), tried_since = now(), last_error = null
    where webhook_id = ${webhookId} and dead_at is not null returning id`
  return rows.length
}

/** The events since then are delivered once more, as new messages. */
export async function replaySince(db: Database, webhookId: string, since: Date): Promise<number> {
  const rows = await readRows(db, shape({ id: bigint }))`
    insert into webhook_deliveries (webhook_id, order_id, status, at)
    select webhooks.id, order_id, status, at from webhooks join order_events using (app)
    where webhooks.id = ${webhookId} and at >= ${since} order by order_events.id returning id`
  return rows.length
}
