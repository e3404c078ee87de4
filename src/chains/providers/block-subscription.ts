/** Block subscriptions over WebSocket with JSON-RPC, where an endpoint of kind `ws` is configured. */
import { type RawData, WebSocket } from 'ws'
import type { NewBlocks } from '../port/abilities/new-blocks.ts'
import type { RpcCall } from './json-rpc.ts'

/** A header has less than 2 KB. */
const MAX_MESSAGE_BYTES = 65_536
const FIRST_RECONNECT_MS = 1000
const LONGEST_RECONNECT_MS = 60_000
/** A connection that answers no ping in this time is dead. */
const PING_MS = 30_000

export type BlockSubscription = {
  /** Asks the node to tell of blocks. */
  readonly request: RpcCall
  /** The method of its messages. */
  readonly told: string
}

/** One connection to each of the URLs. */
export function subscribeToBlocks(urls: readonly string[], subscription: BlockSubscription): NewBlocks {
  return (onBlock) => {
    const ends = urls.map((url) => subscribe(url, subscription, onBlock))
    return () => {
      for (const end of ends) end()
    }
  }
}

function subscribe(url: string, { request, told }: BlockSubscription, onBlock: () => void): () => void {
  let socket: WebSocket | null = null
  let reconnect: NodeJS.Timeout | undefined
  let reconnectMs = FIRST_RECONNECT_MS
  let isEnded = false

  function open(): void {
    const opened = new WebSocket(url, { maxPayload: MAX_MESSAGE_BYTES, handshakeTimeout: PING_MS })
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
    opened.on('open', () => opened.send(JSON.stringify({ jsonrpc: '2.0', id: 1, ...request })))
    opened.on('pong', () => {
      isAlive = true
    })
    opened.on('message', (message) => {
      isAlive = true
      if (methodOf(message) !== told) return
      reconnectMs = FIRST_RECONNECT_MS
      if (!isEnded) onBlock()
    })
    // The close event follows, and opens the next connection. Polls go on meanwhile.
    opened.on('error', () => opened.terminate())
    opened.on('close', () => {
      clearInterval(ping)
      if (isEnded) return
      reconnect = setTimeout(open, reconnectMs)
      reconnect.unref()
      reconnectMs = Math.min(reconnectMs * 2, LONGEST_RECONNECT_MS)
    })
  }

  open()
  return () => {
    isEnded = true
    clearTimeout(reconnect)
    socket?.terminate()
  }
}

/** Null for an answer, which has none, and for what is not JSON. */
function methodOf(message: RawData): unknown {
  try {
    const parsed: unknown = JSON.parse(String(message))
    return typeof parsed === 'object' && parsed !== null && 'method' in parsed ? parsed.method : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
