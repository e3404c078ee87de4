/** Numbers the changes of orders' status. Numbers become visible in their order, so a reader of a prefix has missed nothing. */
import type { OrderStatus } from '@tandem/protocol/state.ts'
import { bigint, boolean, number, shape, text, time, type ValueOf } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { orderStatus } from '../database/domain-columns.ts'
import { prepare } from '../database/prepared.ts'
import { sharePerDatabase } from '../database/share-statements.ts'

export type OrderEvent = {
  readonly id: bigint
  readonly app: string
  readonly orderId: string
  readonly status: OrderStatus
  readonly at: Date
}

/**
 * Each event is sent with its order, some 3 kB. A page must fit into what one stream may hold, and a client that requests all events and
 * reads none must cost little.
 */
export const EVENTS_PAGE = 8
export const EVENTS_BATCH = 1000
export const EVENTS_KEPT_DAYS = 7

const columns = { id: bigint, app: text, order_id: text, status: orderStatus, at: time }
const event = shape(columns)

const eventOf = ({ id, app, order_id, status, at }: ValueOf<typeof event>): OrderEvent => ({ id, app, orderId: order_id, status, at })

const selectNew = prepare('read-order-events', event, `select * from read_order_events($1::bigint, ${EVENTS_BATCH})`)
const numberNew = prepare('number-order-events', shape({ more: boolean }), 'select number_order_events($1) as more')
const selectNewest = prepare('newest-order-event', shape({ newest: bigint }), 'select newest_order_event() as newest')
const selectOldest = prepare('oldest-order-event', shape({ oldest: bigint }), 'select id as oldest from order_events order by id limit 1')

/** Numbers new changes, and returns at most `EVENTS_BATCH` events after this number. */
export async function readNewEvents(db: Database, after: bigint): Promise<readonly OrderEvent[]> {
  return (await selectNew(db, [after.toString()])).map(eventOf)
}

/** Numbers new changes. Returns the newest number; 0 before the first event. */
export async function numberEvents(db: Database): Promise<bigint> {
  while ((await numberNew(db, [EVENTS_BATCH]))[0]?.more === true);
  return (await selectNewest(db, []))[0]?.newest ?? 0n
}

/** Older events cannot be replayed. Returns null before the first event. */
export async function oldestEventId(db: Database): Promise<bigint | null> {
  return (await selectOldest(db, []))[0]?.oldest ?? null
}

function pagesOf(column: 'order_id' | 'app') {
  const select = prepare(
    `read-events-by-${column}`,
    shape({ ...columns, place: number }),
    `select found.*, place::integer from unnest($1::text[], $2::bigint[]) with ordinality as given (key, after, place)
    cross join lateral (
      select * from order_events where order_events.${column} = given.key and id > given.after order by id limit ${EVENTS_PAGE}
    ) as found
    order by place, found.id`,
  )
  return async (db: Database, keys: readonly string[], after: readonly bigint[]): Promise<readonly (readonly OrderEvent[])[]> => {
    const pages = keys.map((): OrderEvent[] => [])
    for (const row of await select(db, [keys, after.map(String)])) pages[row.place - 1]?.push(eventOf(row))
    return pages
  }
}

type Paged<Query> = (db: Database, query: Query) => Promise<readonly OrderEvent[]>

const [pagesOfOrders, pagesOfApps] = [pagesOf('order_id'), pagesOf('app')]

/** Concurrent reads share a statement: after a restart, thousands of streams come back at once. */
export const readOrderEvents: Paged<{ readonly orderId: string; readonly after: bigint }> = sharePerDatabase(
  (db, queries) =>
    pagesOfOrders(
      db,
      queries.map(({ orderId }) => orderId),
      queries.map(({ after }) => after),
    ),
  { maxStatements: 1 },
)

export const readAppEvents: Paged<{ readonly app: string; readonly after: bigint }> = sharePerDatabase(
  (db, queries) =>
    pagesOfApps(
      db,
      queries.map(({ app }) => app),
      queries.map(({ after }) => after),
    ),
  { maxStatements: 1 },
)

const deleteOld = prepare(
  'prune-order-events',
  shape({ id: bigint }),
  `delete from order_events where id in (select id from order_events order by id limit ${EVENTS_BATCH})
    and at < now() - make_interval(days => ${EVENTS_KEPT_DAYS}) and id < newest_order_event() returning id`,
)

export async function pruneEvents(db: Database): Promise<boolean> {
  return (await deleteOld(db, [])).length >= EVENTS_BATCH
}
