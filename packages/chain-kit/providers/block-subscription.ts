/** Subscribes to blocks over WebSocket, where an endpoint of kind `ws` is configured. */
import { type RawData, WebSocket } from 'ws'
import type { NewBlocks } from '../port/abilities/reading.ts'
import { type Endpoint, headersOf, urlOf } from '../port/endpoints.ts'
import type { RpcCall } from './json-rpc.ts'

/** A header has less than 2 KB. */
const MAX_MESSAGE_BYTES = 65_536
const FIRST_RECONNECT_MS = 1000
const MAX_RECONNECT_MS = 60_000
/** A connection that answers no ping in this time is dead. */
const PING_MS = 30_000

export type BlockSubscription = {
  readonly request: object
  readonly notice: readonly [field: string, value: string]
}

export function overJsonRpc(call: RpcCall, notice: string): BlockSubscription {
  return { request: { jsonrpc: '2.0', id: 1, ...call }, notice: ['method', notice] }
}

export function subscribeToBlocks(endpoints: readonly Endpoint[], subscription: BlockSubscription): NewBlocks {
  return (onBlock) => {
    const ends = endpoints.map((endpoint) => subscribe(endpoint, subscription, onBlock))
    return () => {
      for (const end of ends) end()
    }
  }
}

function subscribe(endpoint: Endpoint, { request, notice }: BlockSubscription, onBlock: () => void): () => void {
  let socket: WebSocket | null = null
  let reconnect: NodeJS.Timeout | undefined
  let reconnectMs = FIRST_RECONNECT_MS
  let isEnded = false

  function open(): void {
    const opened = new WebSocket(urlOf(endpoint), {
      headers: headersOf(endpoint),
      maxPayload: MAX_MESSAGE_BYTES,
      handshakeTimeout: PING_MS,
    })
    socket = opened
    let isAlive = true
    const ping = setInterval(() => {
      if (!isAlive) opened.terminate()
      else if (opened.readyState === WebSocket.OPEN) {
        isAlive = false
        opened.ping()
      }
    }, PING_MS)
    ping.unref()
    opened.on('open', () => opened.send(JSON.stringify(request)))
    opened.on('pong', () => {
      isAlive = true
    })
    opened.on('message', (message) => {
      isAlive = true
      if (fieldOf(message, notice[0]) !== notice[1]) return
      reconnectMs = FIRST_RECONNECT_MS
      if (!isEnded) onBlock()
    })
    opened.on('error', () => opened.terminate())
    opened.on('close', () => {
      clearInterval(ping)
      if (isEnded) return
      reconnect = setTimeout(open, reconnectMs)
      reconnect.unref()
      reconnectMs = Math.min(reconnectMs * 2, MAX_RECONNECT_MS)
    })
  }

  open()
  return () => {
    isEnded = true
    clearTimeout(reconnect)
    socket?.terminate()
  }
}

/** Null means that the message is an answer, which has no such field, or is not JSON. */
function fieldOf(message: RawData, field: string): unknown {
  try {
    const parsed: unknown = JSON.parse(String(message))
    return typeof parsed === 'object' && parsed !== null ? (Object.entries(parsed).find(([name]) => name === field)?.[1] ?? null) : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
