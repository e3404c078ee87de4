/** Very many clients of event streams are in one process. They come from many addresses of this machine. */
import { connect, type Socket } from 'node:net'
import { readInput, tellParent } from '../api/child.ts'
import { clockMs } from '../bench.ts'

export type Stream = {
  readonly path: string
  readonly appId: string
  /** The address is in 127.0.0.0/8. */
  readonly from: string
  readonly lastEventId: string | null
  /** The client reads the head of the answer, and nothing after it. */
  readonly isSlow: boolean
}
export type ReadersInput = { readonly port: number }
export type ReadersQuestion =
  | { readonly open: readonly Stream[] }
  /** This asks for the events that came since the last question. */
  | 'received'
/** The counts are by status; 0 means that the connection was closed without an answer. */
export type Opened = { readonly statuses: Readonly<Record<string, number>> }
/** By order, this is when a client was notified of its deposit, by `clockMs`. */
export type Received = { readonly atMs: Readonly<Record<string, number>>; readonly closed: number }

/** Only this many connections are opened at once, because the queue of a listening socket is limited. */
const AT_ONCE = 100
/** An event that is not the first state of an order begins like this. */
const EVENT = /data: \{"order_id":"([0-9a-f]{64})","status":"(?!created)/g
const EVENT_LENGTH = 120

const { port } = readInput<ReadersInput>()
let atMs: Record<string, number> = {}
let closed = 0

tellParent({})
process.on('message', (question: ReadersQuestion) => {
  if (question === 'received') {
    tellParent({ atMs, closed } satisfies Received)
    ;[atMs, closed] = [{}, 0]
    return
  }
  void openAll(question.open).then((statuses) => tellParent({ statuses } satisfies Opened))
})

async function openAll(streams: readonly Stream[]): Promise<Opened['statuses']> {
  const statuses: Record<string, number> = {}
  for (let at = 0; at < streams.length; at += AT_ONCE) {
    const answered = await Promise.all(streams.slice(at, at + AT_ONCE).map(open))
    for (const status of answered) statuses[status] = (statuses[status] ?? 0) + 1
  }
  return statuses
}

function open({ path, appId, from, lastEventId, isSlow }: Stream): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from })
    const resume = lastEventId === null ? '' : `last-event-id: ${lastEventId}\r\n`
    socket.write(`GET ${path} HTTP/1.1\r\nhost: bench\r\nservice-app-id: ${appId}\r\n${resume}\r\n`)
    socket.setEncoding('latin1')
    socket.on('error', () => undefined)
    socket.once('data', (head: string) => {
      const status = Number(/^HTTP\/1.1 (\d+)/.exec(head)?.[1] ?? 0)
      resolve(status)
      if (status === 200) follow(socket, isSlow)
      else socket.destroy()
    })
    socket.once('close', () => resolve(0))
  })
}

function follow(socket: Socket, isSlow: boolean): void {
  socket.on('close', () => {
    closed += 1
  })
  if (isSlow) {
    socket.pause()
    return
  }
  let unread = ''
  socket.on('data', (chunk: string) => {
    const text = unread + chunk
    for (const [, order] of text.matchAll(EVENT)) if (order !== undefined) atMs[order] ??= clockMs()
    // An event may be cut between two chunks.
    unread = text.slice(-EVENT_LENGTH)
  })
}
