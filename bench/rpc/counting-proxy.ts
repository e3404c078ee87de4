/** A proxy in front of a node counts its requests. */
import { Agent, createServer, type IncomingMessage, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Counted = {
  /** Each call inside a batch counts. */
  readonly calls: number
  readonly http: number
  readonly byMethod: ReadonlyMap<string, number>
}

export interface CountingProxy {
  /** The URL has the path and credentials of the node's own URL. */
  readonly url: string
  /** The result covers the time since the last call. */
  take(): Counted
  close(): Promise<void>
}

export async function startCountingProxy(nodeUrl: string): Promise<CountingProxy> {
  const node = new URL(nodeUrl)
  const agent = new Agent({ keepAlive: true })
  let http = 0
  let byMethod = new Map<string, number>()

  const server = createServer((incoming, outgoing) => {
    const forward = async () => {
      const body = await readBody(incoming)
      http += 1
      for (const method of methodsOf(incoming, body)) byMethod.set(method, (byMethod.get(method) ?? 0) + 1)
      const { method, url: path, headers } = incoming
      const sent = sendRequest({ host: node.hostname, port: node.port, method, path, headers, agent }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      sent.on('error', () => outgoing.destroy())
      sent.end(body)
    }
    // Only a client that disconnected gets here.
    forward().catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const url = new URL(nodeUrl)
  url.port = String((server.address() as AddressInfo).port)

  return {
    url: url.href,
    take() {
      const counted = { calls: [...byMethod.values()].reduce((sum, count) => sum + count, 0), http, byMethod }
      http = 0
      byMethod = new Map()
      return counted
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      agent.destroy()
      await closed
    },
  }
}

export function sum(counted: readonly Counted[]): Counted {
  const byMethod = new Map<string, number>()
  for (const one of counted) for (const [method, count] of one.byMethod) byMethod.set(method, (byMethod.get(method) ?? 0) + count)
  const total = (of: (one: Counted) => number) => counted.reduce((all, one) => all + of(one), 0)
  return { calls: total(({ calls }) => calls), http: total(({ http }) => http), byMethod }
}

export function times({ calls, http, byMethod }: Counted, factor: number): Counted {
  return {
    calls: calls * factor,
    http: http * factor,
    byMethod: new Map([...byMethod].map(([method, count]) => [method, count * factor])),
  }
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The methods are those of JSON-RPC; elsewhere they are the first part of the path that names no block or transaction. */
function methodsOf({ method, url = '' }: IncomingMessage, body: Buffer): readonly string[] {
  if (method !== 'POST' || !body.toString('latin1', 0, 64).includes('"')) return [`${method} ${url.split('/').slice(0, 3).join('/')}`]
  const calls: unknown = JSON.parse(body.toString('utf8'))
  return (Array.isArray(calls) ? calls : [calls]).map((call) => String(call.method ?? url))
}
