/** A replay brings one stream up to date: it sends the events that its client has missed, then passes live events on. */

import type { Database } from '@tandem/party/store/database/database.ts'
import { EVENTS_PAGE, type OrderEvent, readAppEvents, readOrderEvents } from '@tandem/party/store/events/order-events.ts'
import type { OrderReader } from '@tandem/party/store/orders/order-reader.ts'
import type { OrderSnapshot } from '@tandem/party/store/orders/orders.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import { createEventWriter, type DescribeContext, type EventWriter } from './describe-events.ts'
import type { EventFeed } from './event-feed.ts'
import type { FairQueue } from './fair-queue.ts'
import type { Follower, Followers } from './followers.ts'

export type ReplayContext = DescribeContext & {
  readonly db: Database
  readonly log: Logger
  readonly orders: OrderReader
  readonly feed: Pick<EventFeed, 'position'>
  readonly followers: Pick<Followers, 'add'>
  readonly queue: Pick<FairQueue<Follower>, 'run'>
  readonly readOldest: () => Promise<bigint>
}

export type StreamStart = {
  readonly lastEventId: bigint | null
  readonly from: bigint
  readonly snapshot: OrderSnapshot | null
}

/** A client comes back after this time if the connection breaks. */
const RETRY_MS = 2_000

export async function startStream(context: ReplayContext, follower: Follower, start: StreamStart): Promise<void> {
  const { stream } = follower
  const { lastEventId, from } = start
  stream.write(`retry: ${RETRY_MS}\n\n`)
  if (lastEventId !== null && lastEventId <= from && lastEventId + 1n >= (await context.readOldest())) {
    stream.moveTo(lastEventId)
    await catchUp(context, follower)
    return
  }
  writeStart(context, follower, start)
  stream.moveTo(from)
  join(context, follower)
  if (context.feed.position > from) await catchUp(context, follower)
  stream.release()
}

/** A stream without a replay starts with the current status of the order. The follower of an app is told that events may be missing. */
function writeStart(context: ReplayContext, { stream }: Follower, { lastEventId, from, snapshot }: StreamStart): void {
  if (snapshot === null) {
    if (lastEventId !== null) stream.write(`event: gap\nid: ${from}\ndata: {"last_event_id":"${lastEventId}"}\n\n`)
    return
  }
  const { id } = snapshot.stored.order
  const writer = createEventWriter(context, context.log)
  writer.add(id, snapshot)
  const frame = writer.writeCurrent(id, from)
  if (frame !== null) stream.write(frame.text)
}

/** The last page is read while live events wait, so that no event is missed in between. */
async function catchUp(context: ReplayContext, follower: Follower): Promise<void> {
  const { stream, network } = follower
  while (stream.isOpen) {
    const isLast = await context.queue.run(network, follower, () => sendPage(context, follower))
    await stream.drained()
    if (!isLast) continue
    if (stream.isHeld) break
    join(context, follower)
  }
  stream.release()
}

/** No page is kept in memory, because thousands of clients may be slow to read theirs. */
async function sendPage(context: ReplayContext, { stream, app, orderId }: Follower): Promise<boolean> {
  if (!stream.isOpen) return true
  const { db, orders, log } = context
  const after = stream.sentUpTo
  const page = await (orderId === null ? readAppEvents(db, { app, after }) : readOrderEvents(db, { orderId, after }))
  const writer = createEventWriter(context, log)
  await readOrders(orders, writer, page)
  for (const event of page) {
    const frame = writer.write(event)
    if (frame !== null) stream.replay(frame)
    else stream.moveTo(event.id)
  }
  return page.length < EVENTS_PAGE
}

function join({ followers }: ReplayContext, follower: Follower): void {
  if (!follower.stream.isOpen) return
  follower.stream.hold()
  followers.add(follower)
}

/** The writer needs the orders of these events. */
export async function readOrders(orders: OrderReader, writer: EventWriter, events: readonly OrderEvent[]): Promise<void> {
  const ids = [...new Set(events.map(({ orderId }) => orderId))]
  await Promise.all(ids.map(async (id) => writer.add(id, await orders.read(id))))
}
