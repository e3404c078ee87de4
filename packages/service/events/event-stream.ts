/** One open stream of Server-Sent Events (WHATWG HTML, section 9.2). The buffer of a slow reader is bounded: beyond the limit the stream is cut. */
import type { ServerResponse } from 'node:http'

export type Frame = { readonly id: bigint; readonly text: string }

export interface EventStream {
  /** This is false once the stream is ended, cut, or closed by the client. */
  readonly isOpen: boolean
  /** This is true while live events wait for the end of the replay. */
  readonly isHeld: boolean
  readonly buffered: number
  /** All events up to this id were sent or are not for this stream. */
  readonly sentUpTo: bigint
  moveTo(id: bigint): void
  /** A live event that was sent already is not sent again. */
  send(frame: Frame): void
  replay(frame: Frame): void
  write(text: string): void
  /** In a live stream the heartbeat carries the position, from which a client continues after a long silence. */
  beat(position: bigint): void
  hold(): void
  /** Sends the held events after the replay has ended. */
  release(): void
  /** Resolves when the client has read most of what was written. */
  drained(): Promise<void>
  /** Tells the client after which time to reconnect. The connection closes when the client has read all, or after 30 s. */
  end(retryMs: number): void
  cut(): void
}

/** A client whose stream is cut comes back with its `Last-Event-ID`. */
export const MAX_BUFFERED_BYTES = 256 * 1024
/** A client has this long to read enough for the next page of a replay, and to read the remaining text of a stream that has ended. */
const DRAIN_MS = 30_000

/** `onClose` is called exactly once. */
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
  response.on('error', () => undefined)

  function cut(): void {
    if (state === 'closed') return
    state = 'closed'
    on.onCut()
    response.destroy()
  }

  function write(text: string): void {
    if (state === 'closed') return
    if (response.writableLength + text.length > MAX_BUFFERED_BYTES) cut()
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
      if (heldLength > MAX_BUFFERED_BYTES) cut()
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
      // Without this a client that reads nothing would keep the connection and its place among the streams.
      const timer = setTimeout(() => response.destroy(), DRAIN_MS)
      response.on('close', () => clearTimeout(timer))
    },
    cut,
  }
}

/** Proxies commonly close a connection that is silent for 30 to 60 s. */
const HEARTBEAT_SECONDS = 15
/** A stream ends after this time. When its client comes back, its app is checked again, and streams spread over the processes. */
const LIFETIME_MS = 30 * 60_000

export interface Heartbeats<Member> {
  add(member: Member): void
  remove(member: Member): void
  stop(): void
}

export function createHeartbeats<Member>(on: {
  readonly beat: (member: Member) => void
  readonly expire: (member: Member) => void
  readonly afterAll: () => void
}): Heartbeats<Member> {
  // Each second serves one group.
  const groups = Array.from({ length: HEARTBEAT_SECONDS }, () => new Map<Member, number>())
  const groupOf = new Map<Member, Map<Member, number>>()
  let next = 0
  let current = 0
  let timer: NodeJS.Timeout | undefined

  function tick(): void {
    current = (current + 1) % groups.length
    const now = performance.now()
    for (const [member, endsAtMs] of groups[current] ?? []) {
      if (now < endsAtMs) on.beat(member)
      else on.expire(member)
    }
    on.afterAll()
  }

  return {
    add(member) {
      next = (next + 1) % groups.length
      const group = groups[next]
      if (group === undefined) return
      group.set(member, performance.now() + LIFETIME_MS)
      groupOf.set(member, group)
      timer ??= setInterval(tick, 1000).unref()
    },
    remove(member) {
      groupOf.get(member)?.delete(member)
      groupOf.delete(member)
      if (groupOf.size > 0) return
      clearInterval(timer)
      timer = undefined
    },
    stop() {
      clearInterval(timer)
      timer = undefined
    },
  }
}
