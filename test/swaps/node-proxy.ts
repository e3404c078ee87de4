/** In front of a node, the test sees each request of a process and decides when it goes on. */
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

export interface NodeProxy {
  readonly url: string
  /** These requests have no answer, and their clients still wait. */
  open(): number
  close(): Promise<void>
}

/** `before` resolves when the request with this body may continue. The request reaches the node even if its sender has given up. */
export async function startNodeProxy(nodeUrl: string, before: (body: string) => unknown): Promise<NodeProxy> {
  const { origin, pathname } = new URL(nodeUrl)
  const waiting = new Set<IncomingMessage>()
  const server = createServer(async (request, response) => {
    waiting.add(request)
    response.on('close', () => waiting.delete(request))
    try {
      const body = await text(request)
      await before(body)
      const { method = 'GET', headers, url } = request
      const kept = ['content-type', 'authorization'].flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]))
      const init = { method, headers: Object.fromEntries(kept), ...(method !== 'GET' && { body }) }
      const answer = await fetch(`${origin}${url}`, init)
      const type = answer.headers.get('content-type') ?? 'application/json'
      response.writeHead(answer.status, { 'content-type': type }).end(Buffer.from(await answer.arrayBuffer()))
    } catch {
      // The client or the node is gone.
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  return {
    url: `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}${pathname === '/' ? '' : pathname}`,
    open: () => waiting.size,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A moment comes once. */
export interface Moment {
  readonly come: Promise<void>
  tell(): void
}

export function moment(): Moment {
  let tell: () => void = () => undefined
  const come = new Promise<void>((resolve) => {
    tell = resolve
  })
  return { come, tell: () => tell() }
}
