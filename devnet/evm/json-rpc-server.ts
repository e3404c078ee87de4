// Serves a node's JSON-RPC over HTTP (single and batch) and WebSocket (with subscriptions) on one local port.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import { EdrRequestError, type JsonRpcCall, JsonText } from './edr-provider.ts'

export interface JsonRpcServer {
  readonly port: number
  /** Sends an event of the node to its subscribers. */
  publish(subscription: string, result: unknown): void
  /** Lets every answer wait; 0 turns it off. */
  setDelay(delayMs: number): void
  /** Cuts all connections and accepts no new ones until it is turned off. */
  setOffline(offline: boolean): void
  close(): Promise<void>
}

interface JsonRpcRequest extends JsonRpcCall {
  readonly id: number | string | null
}

const host = '127.0.0.1'
const maxBodyBytes = 8 * 1024 * 1024
const parseErrorCode = -32_700
const invalidRequestCode = -32_600
const methodUnavailableCode = -32_601
const internalErrorCode = -32_603

/** `handle` resolves to the result, which may be JSON text already. */
export async function startJsonRpcServer(handle: (call: JsonRpcCall) => Promise<unknown>, port: number): Promise<JsonRpcServer> {
  const subscribers = new Map<string, WebSocket>()
  let delayMs = 0
  let offline = false

  const server = createServer((request, response) => {
    // Only a client that disconnected gets here.
    serveHttp(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  // Attached after listening: it would emit a failure to listen once more, with no listener.
  const sockets = new WebSocketServer({ server, maxPayload: maxBodyBytes })
  server.on('connection', (socket) => {
    if (offline) socket.destroy()
  })
  sockets.on('connection', (socket) => {
    socket.on('message', (message) => void serveMessage(socket, String(message)))
    // A connection that breaks is closed by ws itself; the close event does the rest.
    socket.on('error', () => socket.terminate())
    socket.on('close', () => void unsubscribeAll(socket))
  })

  async function serveHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      response.writeHead(405, { allow: 'POST' }).end()
      return
    }
    const body = await readBody(request)
    if (body === undefined) {
      response.writeHead(413).end()
      return
    }
    const answer = await respond(body, undefined)
    if (response.destroyed) return
    // With its length: head and body are then written at once.
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) }).end(answer)
  }

  async function serveMessage(socket: WebSocket, message: string): Promise<void> {
    const answer = await respond(message, socket)
    if (socket.readyState === socket.OPEN) socket.send(answer)
  }

  async function respond(text: string, socket: WebSocket | undefined): Promise<string> {
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false })
    const parsed = parseJson(text)
    if (parsed === undefined) return failure(null, parseErrorCode, 'not JSON')
    if (!Array.isArray(parsed)) return answer(parsed, socket)
    return `[${(await Promise.all(parsed.map((item) => answer(item, socket)))).join(',')}]`
  }

  async function answer(request: unknown, socket: WebSocket | undefined): Promise<string> {
    if (!isRequest(request)) return failure(null, invalidRequestCode, 'not a JSON-RPC request')
    const { id = null, method, params } = request
    if (method === 'eth_subscribe' && socket === undefined) return failure(id, methodUnavailableCode, 'subscriptions need a WebSocket')
    try {
      const result = await handle({ method, params })
      if (method === 'eth_subscribe' && socket !== undefined) subscribers.set(String(parsedOf(result)), socket)
      if (method === 'eth_unsubscribe') subscribers.delete(String(params?.[0]))
      return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result instanceof JsonText ? result.text : JSON.stringify(result)}}`
    } catch (error) {
      if (error instanceof EdrRequestError) return failure(id, error.code, error.message, error.data)
      return failure(id, internalErrorCode, error instanceof Error ? error.message : String(error))
    }
  }

  async function unsubscribeAll(socket: WebSocket): Promise<void> {
    const own = [...subscribers].filter(([, subscriber]) => subscriber === socket).map(([subscription]) => subscription)
    for (const subscription of own) {
      subscribers.delete(subscription)
      await answer({ id: null, method: 'eth_unsubscribe', params: [subscription] }, undefined)
    }
  }

  function cutConnections(): void {
    for (const socket of sockets.clients) socket.terminate()
    server.closeAllConnections()
  }

  return {
    port: (server.address() as AddressInfo).port,
    publish(subscription, result) {
      const socket = subscribers.get(subscription)
      if (socket === undefined || socket.readyState !== socket.OPEN) return
      socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result } }))
    },
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

/** Undefined if the body is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > maxBodyBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRequest(value: unknown): value is JsonRpcRequest {
  if (typeof value !== 'object' || value === null || !('method' in value) || typeof value.method !== 'string') return false
  return !('params' in value) || value.params === undefined || Array.isArray(value.params)
}

function parsedOf(result: unknown): unknown {
  return result instanceof JsonText ? JSON.parse(result.text) : result
}

function failure(id: JsonRpcRequest['id'], code: number, message: string, data?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } })
}
