/** Watches an order by the events of the service, or by polling if there are no events. An event is only a reason to read the order. */

import { sleep } from '@tandem/chain-kit/browser/sleep.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import type { Client } from './client.ts'
import { readEvents, type StreamOptions } from './event-stream.ts'

export type WatchOptions = StreamOptions & {
  /** How often the order is read while there are no events. Default: 2 s. */
  readonly pollMs?: number
}

/** The interval of polls while events arrive. */
const POLL_WITH_EVENTS_MS = 15_000
const RECONNECT_MS = 3_000

/** After these states the user waits for nothing more. */
const ENDED: ReadonlySet<string> = new Set(['redeemed', 'counterparty_redeemed', 'refunded', 'expired'])

function isEnded({ status }: OrderRecord): boolean {
  return ENDED.has(status)
}

/** Yields the record at once and after each change. It ends when the order has ended. */
export async function* watchOrder(
  client: Client,
  options: WatchOptions,
  orderId: string,
  signal?: AbortSignal,
): AsyncGenerator<OrderRecord, void> {
  const stop = new AbortController()
  const either = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal])
  const events = listen(options, orderId, either)
  let last = ''
  let isIdle = false
  try {
    for (;;) {
      const waiting = events.next()
      const record = await client.order(orderId, { signal: either })
      const text = JSON.stringify(record)
      if (text !== last) yield record
      last = text
      if (isEnded(record)) return
      // After an event the order is read once more soon: the first answer may have been under way before it.
      isIdle = !(await waiting(events.isConnected() && isIdle ? POLL_WITH_EVENTS_MS : (options.pollMs ?? 2_000)))
    }
  } finally {
    stop.abort()
  }
}

type OrderEvents = {
  isConnected(): boolean
  /** Call it before reading the order. The function that it returns waits for the first event since then, and resolves to whether there was one in time. */
  next(): (maxMs: number) => Promise<boolean>
}

function listen(options: WatchOptions, orderId: string, signal: AbortSignal): OrderEvents {
  let connected = false
  let announce = new AbortController()

  async function read(): Promise<void> {
    for await (const { data } of readEvents(options, `/orders/${encodeURIComponent(orderId)}/events`, '', signal)) {
      connected = true
      if (data !== '') announce.abort()
    }
  }

  async function keepReading(): Promise<void> {
    while (!signal.aborted) {
      // Without events the order is polled: nothing is lost but time.
      await read().catch(() => undefined)
      connected = false
      await sleep(RECONNECT_MS, signal).catch(() => undefined)
    }
  }
  void keepReading()

  return {
    isConnected: () => connected,
    next() {
      announce = new AbortController()
      const arrived = announce.signal
      return async (maxMs) => {
        if (!arrived.aborted) await sleep(maxMs, AbortSignal.any([arrived, signal])).catch(() => undefined)
        signal.throwIfAborted()
        return arrived.aborted
      }
    },
  }
}
