/** A client of an event stream reads frames one at a time, by the rules of WHATWG HTML, section 9.2. */
import { get, type IncomingHttpHeaders } from 'node:http'

export type ReceivedEvent = { readonly id: string; readonly event: string; readonly data: unknown }

export type EventReader = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly waiting: readonly ReceivedEvent[]
  readonly state: { retry: string; lastEventId: string }
  /** Resolves when the server ends the stream. */
  readonly ended: Promise<void>
  next(): Promise<ReceivedEvent>
  /** Nothing is read any more: what the server sends stays in its buffers. */
  pause(): void
  close(): void
}

export function readEvents(url: string, headers: Readonly<Record<string, string>>): Promise<EventReader> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: false }, (response) => {
      const waiting: ReceivedEvent[] = []
      const takers: ((event: ReceivedEvent) => void)[] = []
      const state = { retry: '', lastEventId: '' }
      let text = ''
      const ended = new Promise<void>((end) => response.on('close', end))
      response.on('error', () => undefined)
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const lines = text.slice(0, end).split('\n')
          text = text.slice(end + 2)
          const fields = new Map(lines.filter((line) => !line.startsWith(':')).map((line) => line.split(/: (.*)/s) as [string, string]))
          state.retry = fields.get('retry') ?? state.retry
          state.lastEventId = fields.get('id') ?? state.lastEventId
          const data = fields.get('data')
          if (data === undefined) continue
          const event = { id: state.lastEventId, event: fields.get('event') ?? 'message', data: JSON.parse(data) as unknown }
          const taker = takers.shift()
          if (taker === undefined) waiting.push(event)
          else taker(event)
        }
      })
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        waiting,
        state,
        ended,
        next: () =>
          new Promise((take) => {
            const event = waiting.shift()
            if (event === undefined) takers.push(take)
            else take(event)
          }),
        pause: () => response.pause(),
        close: () => request.destroy(),
      })
    })
    request.on('error', reject)
  })
}
