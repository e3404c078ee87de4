/** Simulates a provider behind HTTP: the test sets its answers and failures. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'

const servers: Server[] = []

export function closeServersAfterEach(): void {
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })
}

export async function serve(handle: (request: IncomingMessage, response: ServerResponse, body: string) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.toArray().then(
      (chunks) => handle(request, response, Buffer.concat(chunks).toString()),
      () => undefined,
    )
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/a-key-in-the-path`
}

export function serveText(body: string | null, status = 200): Promise<string> {
  return serve((_, response) => {
    if (body !== null) response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
}
