/** Reads the events of orders for a whole process: one statement each time something may have happened, however many listen. */
import { createLoop, type Loop } from '@tandem/party/engine/loop.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { EVENTS_BATCH, numberEvents, type OrderEvent, readNewEvents } from '@tandem/party/store/events/order-events.ts'
import type { Logger } from '@tandem/runtime/log.ts'

export interface EventFeed {
  /** Everything up to this event was given to the listener. */
  readonly position: bigint
  /** Begins to read, if it does not yet. Resolves when all that was committed before is passed on. Concurrent calls share a read. */
  catchUp(): Promise<void>
  /** Something may have happened. */
  wake(): void
  stop(): Promise<void>
}

export type FeedListener = {
  /** Returns false while nobody needs events. */
  isListening(): boolean
  /** Gets the next events, in the order of their ids, and calls `done` in the same tick in which it has passed them on. */
  take(events: readonly OrderEvent[], done: () => void): Promise<void>
}

/** Signals can be lost: then an event is this late. */
const POLL_MS = 1000
/** Between the starts of two reads: under load, one read serves all that happened meanwhile. */
const COOLDOWN_MS = 20

type Waiting = { resolve(): void; reject(error: unknown): void }

export function createEventFeed({ db, log }: { readonly db: Database; readonly log: Logger }, listener: FeedListener): EventFeed {
  let position = 0n
  /** Otherwise nobody listened lately, and `position` is old. */
  let isReading = false
  let loop: Loop | null = null
  let waiting: Waiting[] = []

  async function run(): Promise<boolean> {
    const asked = waiting
    waiting = []
    try {
      const more = await read(asked.length > 0 || listener.isListening())
      if (more) waiting.push(...asked)
      else for (const { resolve } of asked) resolve()
      return more
    } catch (error) {
      for (const { reject } of asked) reject(error)
      throw error
    }
  }

  async function read(isWanted: boolean): Promise<boolean> {
    if (isWanted && !isReading) position = await numberEvents(db)
    isReading = isWanted
    if (!isReading) return false
    const events = await readNewEvents(db, position)
    const last = events.at(-1)
    if (last === undefined) return false
    await listener.take(events, () => {
      position = last.id
    })
    return events.length >= EVENTS_BATCH
  }

  function open(): Loop {
    return createLoop({
      intervalMs: POLL_MS,
      cooldownMs: COOLDOWN_MS,
      run,
      onError: (error) => log.error({ err: error }, 'reading the events of orders failed; will retry'),
    })
  }

  return {
    get position() {
      return position
    },
    async catchUp() {
      const current = new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }))
      if (loop === null) loop = open()
      else loop.wake()
      await current
    },
    wake() {
      if (isReading) loop?.wake()
    },
    async stop() {
      await loop?.stop()
      for (const { reject } of waiting) reject(new Error('the service stops'))
    },
  }
}
