// Runs a small HTTP server on 127.0.0.1 that obeys the fault switches and closes without leaving connections behind.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultState } from './faults.ts'

export type HttpRequest = {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly body: string
}

export type HttpResponse = {
  readonly status: number
  readonly contentType: string
  readonly body: string | Uint8Array
  readonly anyOrigin?: boolean
}

export type HttpServer = { readonly url: string; close(): Promise<void> }

const MAX_BODY_BYTES = 16_000_000
const HOST = '127.0.0.1'

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk as Uint8Array)
    size += bytes.length
    if (size > MAX_BODY_BYTES) throw new RangeError('request body too large')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

export async function startHttpServer(
  port: number,
  faults: FaultState,
  handle: (request: HttpRequest) => HttpResponse | Promise<HttpResponse>,
): Promise<HttpServer> {
  async function answer(request: IncomingMessage): Promise<HttpResponse> {
    const body = await readBody(request)
    if (faults.outage() === 'unavailable') return { status: 503, contentType: 'text/plain', body: 'Service Unavailable' }
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    const response = await handle({ method: request.method ?? 'GET', path, authorization: request.headers.authorization, body })
    if (faults.delayMs() > 0) await sleep(faults.delayMs(), undefined, { ref: false })
    return response
  }

  function send(response: ServerResponse, { status, contentType, body, anyOrigin = false }: HttpResponse): void {
    const origin = anyOrigin ? { 'access-control-allow-origin': '*' } : {}
    response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body), ...origin })
    response.end(body)
  }

  const server = createServer((request, response) => {
    answer(request).then(
      (reply) => send(response, reply),
      (error: unknown) =>
        send(response, { status: 500, contentType: 'text/plain', body: error instanceof Error ? error.message : String(error) }),
    )
  })

  const listen = (onPort: number) =>
    new Promise<number>((resolve, reject) => {
      server.once('error', reject)
      server.listen(onPort, HOST, () => {
        server.off('error', reject)
        resolve((server.address() as AddressInfo).port)
      })
    })

  const close = () =>
    new Promise<void>((resolve) => {
      if (!server.listening) {
        resolve()
        return
      }
      server.close(() => resolve())
      server.closeAllConnections()
    })

  const boundPort = await listen(port)
  faults.onOutage(async (outage) => {
    if (outage === 'refused') await close()
    else if (!server.listening) await listen(boundPort)
  })
  return { url: `http://${HOST}:${boundPort}`, close }
}
