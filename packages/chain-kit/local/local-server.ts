// All simulators of nodes share this server: HTTP and WebSocket on one local port, with the faults of a network.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'

export interface LocalServer {
  readonly port: number
  /** 0 turns the delay off. */
  setDelay(delayMs: number): void
  /** Cuts all connections and accepts no new ones until it is turned off. */
  setOffline(offline: boolean): void
  close(): Promise<void>
}

export interface Listener {
  send(text: string): void
}

export type LocalServerOptions = {
  readonly port: number
  readonly maxBytes: number
  /** If this is absent, HTTP is refused. */
  readonly post?: (body: Buffer, request: IncomingMessage) => HttpAnswer | Promise<HttpAnswer>
  readonly pages?: Readonly<Record<string, string>>
  readonly socket?: {
    answer(listener: Listener, message: string): string | Promise<string>
    disconnected(listener: Listener): void
  }
}

export type HttpAnswer = { readonly headers: Readonly<Record<string, string | number>>; readonly body: string | Buffer }

const HOST = '127.0.0.1'
const UPGRADE_REQUIRED = 426
/** These headers let pages in a browser call the server. */
const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'access-control-allow-methods': 'POST, OPTIONS',
}

export async function startLocalServer({ port, maxBytes, post, pages, socket: sockets }: LocalServerOptions): Promise<LocalServer> {
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
  // This is attached after listening: it would emit a failure to listen once more, with no listener.
  const webSockets = sockets === undefined ? null : new WebSocketServer({ server, maxPayload: maxBytes })
  webSockets?.on('connection', connect)

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const page = request.method === 'GET' ? pages?.[request.url ?? ''] : undefined
    if (page !== undefined) return void response.writeHead(200, crossOrigin).end(page)
    if (post === undefined) return void response.writeHead(UPGRADE_REQUIRED).end()
    if (request.method !== 'POST')
      return void response.writeHead(request.method === 'OPTIONS' ? 204 : 405, { ...crossOrigin, allow: 'POST' }).end()
    const body = await readBody(request, maxBytes)
    if (body === null) return void response.writeHead(413).end()
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false })
    const answer = await post(body, request)
    if (response.destroyed) return
    // With a known length, head and body are written together.
    response.writeHead(200, { ...crossOrigin, ...answer.headers, 'content-length': Buffer.byteLength(answer.body) }).end(answer.body)
  }

  function connect(socket: WebSocket): void {
    const listener: Listener = {
      send(text) {
        if (socket.readyState === socket.OPEN) socket.send(text)
      },
    }
    socket.on('message', (message) => void respond(listener, String(message)))
    // ws closes a broken connection itself; the close event cleans up.
    socket.on('error', () => socket.terminate())
    socket.on('close', () => sockets?.disconnected(listener))
  }

  async function respond(listener: Listener, message: string): Promise<void> {
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false })
    if (sockets !== undefined) listener.send(await sockets.answer(listener, message))
  }

  function cutConnections(): void {
    for (const socket of webSockets?.clients ?? []) socket.terminate()
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
      webSockets?.close()
      await closed
    },
  }
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > maxBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
