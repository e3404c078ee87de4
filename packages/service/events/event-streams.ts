/** The open event streams of a process. Events go to the streams that follow their order or app. */
import type { ServerResponse } from 'node:http'
import type { Database } from '@tandem/party/store/database/database.ts'
import { type OrderEvent, oldestEventId } from '@tandem/party/store/events/order-events.ts'
import { createOrderReader } from '@tandem/party/store/orders/order-reader.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import { createTtlCache } from '@tandem/runtime/ttl-cache.ts'
import { networkOf } from '../caller-network.ts'
import { createEventWriter, type DescribeContext } from './describe-events.ts'
import { createEventFeed } from './event-feed.ts'
import { createHeartbeats, openEventStream } from './event-stream.ts'
import { createFairQueue } from './fair-queue.ts'
import { createFollowers, type Follower } from './followers.ts'
import { type ReplayContext, readOrders, startStream } from './replay.ts'
import { countStreams, createStreamTally, cutSlowReaders, type StreamLimits } from './stream-limits.ts'
import type { EventStreams, StreamRequest } from './stream-request.ts'

export type EventStreamsContext = DescribeContext & { readonly db: Database; readonly log: Logger; readonly limits: StreamLimits }

const MIN_RETURN_MS = 1_000
const MAX_RETURN_MS = 5_000
const OLDEST_CACHE_MS = 10_000
const EVICTED_RETRY_SECONDS = 30
/**
 * These limit how many pages of replays are read at once, and how often for one network. Thousands of clients that ask for all events again
 * and again must cost little and delay no live event.
 */
const REPLAY_LIMITS = { maxRunning: 2, spacingMs: 25 } as const

export function createEventStreams(context: EventStreamsContext): EventStreams {
  const { db, log } = context
  const counts = countStreams(context.limits)
  const tally = createStreamTally(log)
  const open = new Set<Follower>()
  const followers = createFollowers()
  const queue = createFairQueue<Follower>(REPLAY_LIMITS)
  const orders = createOrderReader(db)
  const oldest = createTtlCache<bigint>({ keepMs: OLDEST_CACHE_MS, maxEntries: 1 })
  const feed = createEventFeed(context, { isListening: () => open.size > 0, take })
  const readOldest = () => oldest.get('', async () => (await oldestEventId(db)) ?? 1n)
  const replaying: ReplayContext = { ...context, orders, feed, followers, queue, readOldest }
  const heartbeats = createHeartbeats<Follower>({
    beat: ({ stream }) => stream.beat(feed.position),
    expire: dismiss,
    afterAll() {
      cutSlowReaders([...open].map(({ stream }) => stream))
      tally.flush()
    },
  })
  let isClosing = false

  /** The orders are read first, also those of streams that were opened meanwhile. Then all streams get their events in one tick. */
  async function take(events: readonly OrderEvent[], done: () => void): Promise<void> {
    const writer = createEventWriter(context, log)
    for (;;) {
      const followed = events.filter((event) => !writer.knows(event.orderId) && followers.of(event).next().done !== true)
      if (followed.length === 0) break
      await readOrders(orders, writer, followed)
    }
    for (const event of events) {
      for (const { stream } of followers.of(event)) {
        const frame = writer.write(event)
        if (frame !== null) stream.send(frame)
      }
    }
    done()
  }

  function enter(request: StreamRequest, onEvicted: () => void): () => void {
    if (isClosing) throw new TandemError('chain_unavailable', 'this server is stopping: connect again')
    try {
      return counts.enter(request, onEvicted)
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
        queue.leave(follower.network, follower)
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

  /** Resolves to null if the client has left meanwhile. */
  async function begin(request: StreamRequest) {
    const place: { follower: Follower | null; isEvicted: boolean } = { follower: null, isEvicted: false }
    const leave = enter(request, () => {
      place.isEvicted = true
      place.follower?.stream.cut()
    })
    try {
      await feed.catchUp()
      const from = feed.position
      const snapshot = (await request.readOrder?.()) ?? null
      if (place.isEvicted) throw evictedEarly()
      const response = request.begin()
      if (response.destroyed) {
        leave()
        return null
      }
      const follower = follow(response, request, snapshot?.stored.order.id ?? null, leave)
      place.follower = follower
      return { follower, start: { lastEventId: request.lastEventId, from, snapshot } }
    } catch (error) {
      leave()
      throw error
    }
  }

  return {
    get count() {
      return open.size
    },
    async open(request) {
      const begun = await begin(request)
      if (begun === null) return
      try {
        await startStream(replaying, begun.follower, begun.start)
      } catch (error) {
        log.warn({ err: error }, 'an event stream could not be served; its client comes back')
        dismiss(begun.follower)
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

function dismiss({ stream }: Follower): void {
  stream.end(MIN_RETURN_MS + Math.floor(Math.random() * (MAX_RETURN_MS - MIN_RETURN_MS)))
}

function evictedEarly(): TandemError {
  const message =
    'this app or server has reached its limit of event streams, and your network has the most of them; GET /orders/{id} works as always'
  return new TandemError('rate_limited', message, { retryAfterSeconds: EVICTED_RETRY_SECONDS })
}
