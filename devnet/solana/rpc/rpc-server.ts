// Serves JSON-RPC over HTTP, and subscriptions over websocket: on the same port, and on the next one, where clients look for them.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import { type Answer, answerText } from './request.ts'
import type { Listener } from './subscriptions.ts'

export interface RpcServer {
  readonly port: number
  readonly webSocketPort: number
  setDelay(delayMs: number): void
  /** Cuts all connections and accepts no new ones until it is turned off. */
  setOffline(offline: boolean): void
  close(): Promise<void>
}

export type RpcHandlers = {
  /** One request over HTTP. */
  readonly http: Answer
  /** One request over a websocket. */
  readonly socket: (listener: Listener, ...request: Parameters<Answer>) => unknown
  readonly disconnected: (listener: Listener) => void
}

const HOST = '127.0.0.1'
const MAX_BODY_BYTES = 8 * 1024 * 1024
const PORT_ATTEMPTS = 50
const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'access-control-allow-methods': 'POST, OPTIONS',
}

/** `port` 0: any free pair of ports. */
export async function startRpcServer(handlers: RpcHandlers, port: number): Promise<RpcServer> {
  let delayMs = 0
  let offline = false
  const [main, next] = await listenOnPair(port)
  const servers = [main, next]
  const sockets = servers.map((server) => new WebSocketServer({ server, maxPayload: MAX_BODY_BYTES }))
  for (const server of servers) {
    // Only a client that disconnected gets to the catch.
    server.on('request', (request, response) => void serve(request, response).catch(() => response.destroy()))
    server.on('connection', (socket) => {
      if (offline) socket.destroy()
    })
  }
  for (const set of sockets) set.on('connection', connect)

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET' && request.url === '/health') {
      response.writeHead(200, crossOrigin).end('ok')
      return
    }
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
    for (const set of sockets) for (const socket of set.clients) socket.terminate()
    for (const server of servers) server.closeAllConnections()
  }

  return {
    port: portOf(main),
    webSocketPort: portOf(next),
    setDelay(nextDelayMs) {
      delayMs = nextDelayMs
    },
    setOffline(nextOffline) {
      offline = nextOffline
      if (offline) cutConnections()
    },
    async close() {
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
      cutConnections()
      for (const set of sockets) set.close()
      await Promise.all(closed)
    },
  }
}

/** A port and the one after it: web3.js expects websockets there. */
async function listenOnPair(port: number): Promise<readonly [Server, Server]> {
  for (let attempt = 1; ; attempt += 1) {
    const main = await listen(port)
    try {
      return [main, await listen(portOf(main) + 1)]
    } catch (error) {
      main.close()
      if (port !== 0 || attempt === PORT_ATTEMPTS) throw error
    }
  }
}

async function listen(port: number): Promise<Server> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, resolve)
  })
  return server
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port')
  return address.port
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
