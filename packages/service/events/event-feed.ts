/** The feed reads the events of orders for all listeners of a process, with one statement each time something may have happened. */
import { createLoop, type Loop } from '@tandem/party/engine/loop.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { EVENTS_BATCH, numberEvents, type OrderEvent, readNewEvents } from '@tandem/party/store/events/order-events.ts'
import type { Logger } from '@tandem/runtime/log.ts'

export interface EventFeed {
  /** The listener has got all events up to this id. */
  readonly position: bigint
  /** Begins to read if it does not read yet. Resolves when everything that was committed before the call is passed on. Concurrent calls share a read. */
  catchUp(): Promise<void>
  wake(): void
  stop(): Promise<void>
}

export type FeedListener = {
  /** It returns false while nobody needs events. */
  isListening(): boolean
  /** The events come in the order of their ids. `take` must call `done` in the tick in which it has passed them on. */
  take(events: readonly OrderEvent[], done: () => void): Promise<void>
}

/** A signal can be lost. The event is then late by up to this time. */
const POLL_MS = 1000
/** Under load, one read serves all that happened during the cooldown. */
const COOLDOWN_MS = 20

type Waiting = { resolve(): void; reject(error: unknown): void }

export function createEventFeed({ db, log }: { readonly db: Database; readonly log: Logger }, listener: FeedListener): EventFeed {
  let position = 0n
  /** While nobody listens, this is false and `position` is old. */
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
