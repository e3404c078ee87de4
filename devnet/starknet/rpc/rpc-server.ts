// Serves JSON-RPC over HTTP and, with subscriptions, over websocket, on one port.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import { type Answer, answerText } from './request.ts'

export interface RpcServer {
  readonly port: number
  /** Lets every answer wait; 0 turns it off. */
  setDelay(delayMs: number): void
  /** Cuts all connections and accepts no new ones until it is turned off. */
  setOffline(offline: boolean): void
  close(): Promise<void>
}

/** One open websocket. */
export interface Listener {
  send(text: string): void
}

export type RpcHandlers = {
  readonly http: Answer
  readonly socket: (listener: Listener, ...request: Parameters<Answer>) => unknown
  readonly disconnected: (listener: Listener) => void
}

const HOST = '127.0.0.1'
const MAX_BODY_BYTES = 16 * 1024 * 1024
const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'access-control-allow-methods': 'POST, OPTIONS',
}

/** `port` 0: any free one. */
export async function startRpcServer(handlers: RpcHandlers, port: number): Promise<RpcServer> {
  let delayMs = 0
  let offline = false
  // Only a client that disconnected gets to the catch.
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, resolve)
  })
  server.on('connection', (socket) => {
    if (offline) socket.destroy()
  })
  const sockets = new WebSocketServer({ server, maxPayload: MAX_BODY_BYTES })
  sockets.on('connection', connect)

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      response.writeHead(request.method === 'OPTIONS' ? 204 : 405, { ...crossOrigin, allow: 'POST' }).end()
      return
    }
    const body = await readBody(request)
    if (body === null) {
      response.writeHead(413).end()
      return
    }
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false })
    if (response.destroyed) return
    const answer = answerText(body, handlers.http)
    response.writeHead(200, { ...crossOrigin, 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) }).end(answer)
  }

  function connect(socket: WebSocket): void {
    const listener: Listener = {
      send(text) {
        if (socket.readyState === socket.OPEN) socket.send(text)
      },
    }
    socket.on('message', (message) => void respond(listener, String(message)))
    // A connection that breaks is closed by ws itself; the close event does the rest.
    socket.on('error', () => socket.terminate())
    socket.on('close', () => handlers.disconnected(listener))
  }

  async function respond(listener: Listener, message: string): Promise<void> {
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false })
    listener.send(answerText(message, (method, params) => handlers.socket(listener, method, params)))
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

/** Null if the body is too long. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
