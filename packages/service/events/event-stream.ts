/** One open stream of Server-Sent Events (WHATWG HTML, section 9.2). What a slow reader has not read is bounded: beyond that the stream is cut. */
import type { ServerResponse } from 'node:http'

export type Frame = { readonly id: bigint; readonly text: string }

export interface EventStream {
  /** False once it is ended, cut, or closed by the client. */
  readonly isOpen: boolean
  /** Live events wait until the replay has ended. */
  readonly isHeld: boolean
  /** Bytes that wait for the client. */
  readonly buffered: number
  /** Events up to this one were sent, or are not for this stream. */
  readonly sentUpTo: bigint
  moveTo(id: bigint): void
  /** Sends a live event, unless it was sent already. */
  send(frame: Frame): void
  /** Sends an event of a replay. */
  replay(frame: Frame): void
  /** Sends text that is not an event of an order. */
  write(text: string): void
  /** A sign of life, with the position if the stream is live: a client that comes back after a long silence continues from there. */
  beat(position: bigint): void
  hold(): void
  /** The replay has ended: sends what waited. */
  release(): void
  /** Resolves when the client has read most of what was written. */
  drained(): Promise<void>
  /** Sends the client when to come back, and ends: when it has read all, or after 30 s. */
  end(retryMs: number): void
  /** Ends at once, whatever the client has not read. */
  cut(): void
}

/** What one stream may hold in memory. The client comes back with its `Last-Event-ID`. */
export const MAX_BUFFERED = 256 * 1024
/** How long a client may take to read enough for more of a replay, and to read what is left of a stream that has ended. */
const DRAIN_MS = 30_000

/** `onCut`: it was cut. `onClose`: once, in any case. */
export function openEventStream(response: ServerResponse, on: { readonly onCut: () => void; readonly onClose: () => void }): EventStream {
  let sentUpTo = 0n
  let state: 'replaying' | 'held' | 'live' | 'closed' = 'replaying'
  let held: Frame[] = []
  let heldLength = 0

  response.on('close', () => {
    state = 'closed'
    held = []
    on.onClose()
  })
  // A broken connection closes the response.
  response.on('error', () => undefined)

  function cut(): void {
    if (state === 'closed') return
    state = 'closed'
    on.onCut()
    response.destroy()
  }

  function write(text: string): void {
    if (state === 'closed') return
    if (response.writableLength + text.length > MAX_BUFFERED) cut()
    else response.write(text)
  }

  function sendNow({ id, text }: Frame): void {
    if (id <= sentUpTo) return
    sentUpTo = id
    write(text)
  }

  return {
    get isOpen() {
      return state !== 'closed'
    },
    get isHeld() {
      return state === 'held'
    },
    get buffered() {
      return response.writableLength + heldLength
    },
    get sentUpTo() {
      return sentUpTo
    },
    moveTo(id) {
      sentUpTo = id
    },
    send(frame) {
      if (state === 'live') sendNow(frame)
      if (state !== 'held') return
      held.push(frame)
      heldLength += frame.text.length
      if (heldLength > MAX_BUFFERED) cut()
    },
    replay: sendNow,
    write,
    beat(position) {
      const isPast = state === 'live' && position > sentUpTo
      if (isPast) sentUpTo = position
      write(isPast ? `id: ${position}\n\n` : ':\n\n')
    },
    hold() {
      if (state === 'replaying') state = 'held'
    },
    release() {
      if (state !== 'held') return
      state = 'live'
      for (const frame of held) sendNow(frame)
      held = []
      heldLength = 0
    },
    async drained() {
      if (state === 'closed' || !response.writableNeedDrain) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(cut, DRAIN_MS)
        const finish = () => {
          clearTimeout(timer)
          response.off('drain', finish)
          response.off('close', finish)
          resolve()
        }
        response.on('drain', finish)
        response.on('close', finish)
      })
    },
    end(retryMs) {
      if (state === 'closed') return
      state = 'closed'
      response.end(`retry: ${retryMs}\n\n`)
      // Else a client that reads nothing would keep the connection, and its place among the streams.
      const timer = setTimeout(() => response.destroy(), DRAIN_MS)
      response.on('close', () => clearTimeout(timer))
    },
    cut,
  }
}
