// Serves both interfaces of the Tron simulator on one local port, with faults that a network has.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const KEEP_ALIVE_MS = 60_000

export interface TronServer {
  readonly port: number
  setDelay(delayMs: number): void
  /** Cuts all connections and accepts no new ones until it is turned off. */
  setOffline(offline: boolean): void
  close(): Promise<void>
}

export type TronInterfaces = {
  /** Undefined stands for a path below /wallet or /walletsolidity that the node does not have. */
  readonly wallet: (path: string, body: Readonly<Record<string, unknown>>) => Promise<unknown>
  readonly ethereum: (request: unknown) => Promise<unknown>
}

const CROSS_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
}
const MAX_BODY_BYTES = 8 * 1024 * 1024

export async function startTronServer({ wallet, ethereum }: TronInterfaces, port: number): Promise<TronServer> {
  let delayMs = 0
  let offline = false
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  // Node closes an idle connection after 5 s. A client would reuse it if another chain that starts has blocked the process meanwhile.
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.on('connection', (socket) => {
    if (offline) socket.destroy()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://simulator')
    if (request.method === 'OPTIONS') return void response.writeHead(204, CROSS_ORIGIN).end()
    const text = await readBody(request)
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false })
    const body = parseJson(text)
    if (body === undefined) {
      response.writeHead(400).end()
      return
    }
    const answer =
      pathname === '/jsonrpc' ? await answerRpc(body) : await wallet(pathname, { ...Object.fromEntries(searchParams), ...record(body) })
    if (response.destroyed) return
    if (answer === undefined) response.writeHead(404).end()
    else response.writeHead(200, { ...CROSS_ORIGIN, 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }

  async function answerRpc(body: unknown): Promise<unknown> {
    return Array.isArray(body) ? Promise.all(body.map(ethereum)) : ethereum(body)
  }

  return {
    port: (server.address() as AddressInfo).port,
    setDelay(next) {
      delayMs = next
    },
    setOffline(next) {
      offline = next
      if (offline) server.closeAllConnections()
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) throw new Error('the request body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Undefined means that the text is not JSON. No body stands for an empty object. */
function parseJson(text: string): unknown {
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}
