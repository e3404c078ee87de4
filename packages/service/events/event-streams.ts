/** All open event streams of a process: passes events on to those that follow an order or an app, and replays what a client has missed. */
import type { ServerResponse } from 'node:http'
import type { Database } from '@tandem/party/store/database/database.ts'
import { EVENTS_PAGE, type OrderEvent, oldestEventId, readAppEvents, readOrderEvents } from '@tandem/party/store/events/order-events.ts'
import { createOrderReader } from '@tandem/party/store/orders/order-reader.ts'
import type { OrderSnapshot } from '@tandem/party/store/orders/orders.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import { createTtlCache } from '@tandem/runtime/ttl-cache.ts'
import { networkOf } from '../caller-network.ts'
import { createEventWriter, type DescribeContext, type EventWriter } from './describe-events.ts'
import { createEventFeed } from './event-feed.ts'
import { openEventStream } from './event-stream.ts'
import { createFairTurns } from './fair-turns.ts'
import { createFollowers, type Follower } from './followers.ts'
import { createHeartbeats } from './heartbeats.ts'
import { cutSlowReaders } from './slow-readers.ts'
import { countStreams, type StreamLimits } from './stream-limits.ts'
import type { EventStreams, StreamRequest } from './stream-request.ts'
import { createStreamTally } from './stream-tally.ts'

export type EventStreamsContext = DescribeContext & { readonly db: Database; readonly log: Logger; readonly limits: StreamLimits }

const FIRST_RETRY_MS = 2000
/** Clients whose stream is ended come back within this time, not all at once. */
const RETURN_MS = { least: 1000, most: 5000 } as const
const OLDEST_KEPT_MS = 10_000
const DISPLACED_RETRY_SECONDS = 30
/**
 * Pages of replays that are read at once, for all clients together, and how often for one network: thousands who ask for all events, again and again, must
 * cost little and delay no live event.
 */
const REPLAYS = { most: 2, restMs: 25 } as const

export function createEventStreams(context: EventStreamsContext): EventStreams {
  const { db, log } = context
  const counts = countStreams(context.limits)
  const tally = createStreamTally(log)
  const open = new Set<Follower>()
  const followers = createFollowers()
  const turns = createFairTurns<Follower>(REPLAYS)
  const orders = createOrderReader(db)
  const oldest = createTtlCache<bigint>({ keepMs: OLDEST_KEPT_MS, maxEntries: 1 })
  const feed = createEventFeed(context, { isListening: () => open.size > 0, take })
  const heartbeats = createHeartbeats<Follower>({
    beat: ({ stream }) => stream.beat(feed.position),
    expire: dismiss,
    afterAll() {
      cutSlowReaders(streams())
      tally.tell()
    },
  })
  let isClosing = false

  function* streams() {
    for (const { stream } of open) yield stream
  }

  /** Reads the orders first, and those of streams that were opened meanwhile. Then everyone gets everything in one turn. */
  async function take(events: readonly OrderEvent[], done: () => void): Promise<void> {
    const writer = createEventWriter(context, log)
    for (;;) {
      const followed = events.filter((event) => !writer.knows(event.orderId) && followers.of(event).next().done !== true)
      if (followed.length === 0) break
      await readInto(writer, followed)
    }
    for (const event of events) {
      for (const { stream, app } of followers.of(event)) {
        const frame = writer.write(event, app)
        if (frame !== null) stream.send(frame)
      }
    }
    done()
  }

  async function readInto(writer: EventWriter, events: readonly OrderEvent[]): Promise<void> {
    const ids = [...new Set(events.map(({ orderId }) => orderId))]
    await Promise.all(ids.map(async (id) => writer.add(id, await orders.read(id))))
  }

  /** Sends what is on record and was not sent. The last page is read while live events wait, so that none is missed in between. */
  async function catchUp(follower: Follower): Promise<void> {
    const { stream } = follower
    while (stream.isOpen) {
      const isLast = await turns.take(follower.network, follower, () => sendPage(follower))
      await stream.drained()
      if (!isLast) continue
      if (stream.isHeld) break
      join(follower)
    }
    stream.release()
  }

  /** Keeps nothing of the page: thousands of clients may not read theirs. */
  async function sendPage({ stream, app, orderId }: Follower): Promise<boolean> {
    if (!stream.isOpen) return true
    const after = stream.sentUpTo
    const page = await (orderId === null ? readAppEvents(db, { app, after }) : readOrderEvents(db, { orderId, after }))
    const writer = createEventWriter(context, log)
    await readInto(writer, page)
    for (const event of page) {
      const frame = writer.write(event, app)
      if (frame !== null) stream.replay(frame)
      else stream.moveTo(event.id)
    }
    return page.length < EVENTS_PAGE
  }

  function join(follower: Follower): void {
    if (!follower.stream.isOpen) return
    follower.stream.hold()
    followers.add(follower)
  }

  /** `from`: where the feed was before the order was read. */
  async function serve(follower: Follower, lastEventId: bigint | null, from: bigint, snapshot: OrderSnapshot | null): Promise<void> {
    const { stream, app } = follower
    stream.write(`retry: ${FIRST_RETRY_MS}\n\n`)
    const canReplay = lastEventId !== null && lastEventId <= from && lastEventId + 1n >= (await oldest.get('', readOldest))
    if (canReplay) {
      stream.moveTo(lastEventId)
      await catchUp(follower)
      return
    }
    if (snapshot !== null) {
      const writer = createEventWriter(context, log)
      writer.add(snapshot.stored.order.id, snapshot)
      const frame = writer.writeCurrent(snapshot.stored.order.id, from, app)
      if (frame !== null) stream.write(frame.text)
    } else if (lastEventId !== null) {
      stream.write(`event: gap\nid: ${from}\ndata: {"last_event_id":"${lastEventId}"}\n\n`)
    }
    stream.moveTo(from)
    join(follower)
    // Else nothing has happened since.
    if (feed.position > from) await catchUp(follower)
    stream.release()
  }

  async function readOldest(): Promise<bigint> {
    return (await oldestEventId(db)) ?? 1n
  }

  function dismiss({ stream }: Follower): void {
    stream.end(RETURN_MS.least + Math.floor(Math.random() * (RETURN_MS.most - RETURN_MS.least)))
  }

  function enter(request: StreamRequest, onDisplaced: () => void): () => void {
    if (isClosing) throw new TandemError('chain_unavailable', 'this server stops: connect again')
    try {
      return counts.enter(request, onDisplaced)
    } catch (error) {
      tally.refused()
      throw error
    }
  }

  function follow(response: ServerResponse, { app, address }: StreamRequest, orderId: string | null, leave: () => void): Follower {
    const stream = openEventStream(response, {
      onCut: tally.cut,
      onClose() {
        leave()
        turns.leave(follower.network, follower)
        open.delete(follower)
        followers.remove(follower)
        heartbeats.remove(follower)
      },
    })
    const follower: Follower = { app, orderId, network: networkOf(address), stream }
    open.add(follower)
    heartbeats.add(follower)
    return follower
  }

  return {
    get count() {
      return open.size
    },
    async open(request) {
      let displaced = false
      let follower: Follower | null = null
      const leave = enter(request, () => {
        displaced = true
        follower?.stream.cut()
      })
      let from: bigint
      let snapshot: OrderSnapshot | null
      try {
        await feed.catchUp()
        from = feed.position
        snapshot = (await request.readOrder?.()) ?? null
        if (displaced) throw displacedEarly()
        const response = request.begin()
        if (response.destroyed) {
          leave()
          return
        }
        follower = follow(response, request, snapshot?.stored.order.id ?? null, leave)
      } catch (error) {
        leave()
        throw error
      }
      try {
        await serve(follower, request.lastEventId, from, snapshot)
      } catch (error) {
        log.warn({ err: error }, 'an event stream could not be served; its client comes back')
        dismiss(follower)
      }
    },
    wake: () => feed.wake(),
    async close() {
      isClosing = true
      heartbeats.stop()
      for (const follower of open) dismiss(follower)
      await feed.stop()
    },
  }
}

function displacedEarly(): TandemError {
  const message =
    'this app or server has all the event streams that it may, most of them from your network; GET /orders/{id} works as always'
  return new TandemError('rate_limited', message, { retryAfterSeconds: DISPLACED_RETRY_SECONDS })
}
