/** Server-Sent Events over fetch, which can send the app id as a header. */

import { sleep } from '@tandem/chain-kit/browser/sleep.ts'
import type { OrderEventRecord } from '@tandem/protocol/wire/order-event.ts'
import { NetworkError } from './errors.ts'
import type { HttpOptions } from './http.ts'

export type StreamOptions = Pick<HttpOptions, 'baseUrl' | 'appId' | 'fetch'>

/** `data` is empty for an event that only moves the id. */
type StreamEvent = { readonly id: string; readonly name: string; readonly data: string }

const RECONNECT_MS = 3_000
/** No event of the service is longer. A longer one comes from another server. */
const MAX_EVENT_CHARACTERS = 4_000_000

/** Reads one connection. It rejects if the connection is refused, and ends when the server ends it. */
export async function* readEvents(
  options: StreamOptions,
  path: string,
  lastEventId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamEvent, void> {
  const call = options.fetch ?? globalThis.fetch
  const response = await call(`${options.baseUrl}${path}`, {
    headers: { 'service-app-id': options.appId, accept: 'text/event-stream', ...(lastEventId !== '' && { 'last-event-id': lastEventId }) },
    ...(signal !== undefined && { signal }),
  })
  if (!response.ok || response.body === null) {
    await response.body?.cancel()
    throw new NetworkError(`${path}: the service answered ${response.status} instead of events`)
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let id = lastEventId
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      signal?.throwIfAborted()
      text += part.value
      if (text.length > MAX_EVENT_CHARACTERS) throw new NetworkError(`${path}: an event is longer than ${MAX_EVENT_CHARACTERS} characters`)
      const blocks = text.split(/\r?\n\r?\n/)
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parseEvent(block, id)
        id = event.id
        yield event
      }
    }
  } finally {
    // A stream that nobody reads must end. Not every `fetch` ends it by the signal.
    await reader.cancel().catch(() => undefined)
  }
}

function parseEvent(block: string, lastId: string): StreamEvent {
  const fields = block.split(/\r?\n/).map((line): [string, string] => {
    const at = line.indexOf(':')
    return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')]
  })
  const lastOf = (name: string) => fields.findLast(([field]) => field === name)?.[1]
  const data = fields.flatMap(([field, value]) => (field === 'data' ? [value] : [])).join('\n')
  return { id: lastOf('id') ?? lastId, name: lastOf('event') ?? 'message', data }
}

/** After a `gap` the events since the last id are lost: read the orders again. */
export type AppEvent = { readonly id: string; readonly event: OrderEventRecord } | { readonly id: string; readonly gap: true }

/** Yields the events of all orders of the app from `lastEventId` on, and reconnects by itself. Keep the id of the last event that you have handled. */
export async function* appEvents(
  options: StreamOptions,
  given: { readonly lastEventId?: string; readonly signal?: AbortSignal } = {},
): AsyncGenerator<AppEvent, void> {
  let last = given.lastEventId ?? ''
  for (;;) {
    try {
      for await (const { id, name, data } of readEvents(options, '/events', last, given.signal)) {
        last = id
        if (name === 'gap') yield { id, gap: true }
        else if (data !== '') yield { id, event: JSON.parse(data) as OrderEventRecord }
      }
    } catch (error) {
      given.signal?.throwIfAborted()
      if (!(error instanceof NetworkError) && !(error instanceof TypeError)) throw error
    }
    await sleep(RECONNECT_MS, given.signal)
  }
}
