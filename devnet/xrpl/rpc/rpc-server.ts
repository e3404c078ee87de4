// Serves requests over websocket.
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Fields } from '../ledger/metadata.ts'
import { RpcError } from './rpc-error.ts'
import type { Listener } from './subscriptions.ts'

export interface RpcServer {
  readonly port: number
  /** Lets every answer wait; 0 turns it off. */
  setDelay(delayMs: number): void
  /** Cuts all connections and accepts no new ones until it is turned off. */
  setOffline(offline: boolean): void
  close(): Promise<void>
}

export type RpcHandlers = {
  readonly answer: (listener: Listener, request: Fields) => Fields
  readonly disconnected: (listener: Listener) => void
}

const HOST = '127.0.0.1'
const MAX_MESSAGE_BYTES = 1024 * 1024

/** `port` 0: any free one. */
export async function startRpcServer(handlers: RpcHandlers, port: number): Promise<RpcServer> {
  let delayMs = 0
  let offline = false
  const server = createServer((_request, response) => void response.writeHead(426).end())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, resolve)
  })
  server.on('connection', (socket) => {
    if (offline) socket.destroy()
  })
  const sockets = new WebSocketServer({ server, maxPayload: MAX_MESSAGE_BYTES })
  sockets.on('connection', connect)

  function connect(socket: WebSocket): void {
    const listener: Listener = {
      send(json) {
        if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(json))
      },
    }
    socket.on('message', (message) => void respond(listener, String(message)))
    // A connection that breaks is closed by ws itself; the close event does the rest.
    socket.on('error', () => socket.terminate())
    socket.on('close', () => handlers.disconnected(listener))
  }

  async function respond(listener: Listener, message: string): Promise<void> {
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false })
    listener.send(answerText(message, (request) => handlers.answer(listener, request)))
  }

  function cutConnections(): void {
    for (const socket of sockets.clients) socket.terminate()
    server.closeAllConnections()
  }

  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port')
  return {
    port: address.port,
    setDelay(nextDelayMs) {
      delayMs = nextDelayMs
    },
    setOffline(nextOffline) {
      offline = nextOffline
      if (offline) cutConnections()
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      cutConnections()
      sockets.close()
      await closed
    },
  }
}

function answerText(text: string, answer: (request: Fields) => Fields): Fields {
  const request = parsed(text)
  if (request === null) return { error: 'jsonInvalid', status: 'error', type: 'response', value: text }
  const { id } = request
  const head = { ...(id !== undefined && { id }), type: 'response' }
  try {
    return { ...head, status: 'success', result: answer(request) }
  } catch (error) {
    const failure =
      error instanceof RpcError
        ? error
        : new RpcError('internal', { error_exception: error instanceof Error ? error.message : String(error) })
    return { ...head, status: 'error', ...failure.json, request }
  }
}

/** Null if it is not a JSON object. */
function parsed(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
  } catch {
    return null
  }
}
