// Serves gRPC-web over HTTP. https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { GrpcError, statusCodes } from './status.ts'

export interface GrpcServer {
  readonly url: string
  /** Lets every answer wait; 0 turns it off. */
  setDelay(delayMs: number): void
  /** Cuts all connections and accepts no new ones until it is turned off. */
  setOffline(offline: boolean): void
  close(): Promise<void>
}

/** Answers a request, both as protobuf. `path` is `/package.Service/Method`. Several messages: a stream. Rejects with a GrpcError. */
export type AnswerBytes = (path: string, request: Uint8Array) => Promise<readonly Uint8Array[]>

const HOST = '127.0.0.1'
const MAX_BODY_BYTES = 16 * 1024 * 1024
const FRAME_HEADER = 5
const DATA = 0x00
const TRAILERS = 0x80
const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-expose-headers': 'grpc-status, grpc-message',
}

/** `port` 0: any free one. */
export async function startGrpcServer(answer: AnswerBytes, port: number): Promise<GrpcServer> {
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
    const contentType = request.headers['content-type'] ?? ''
    const isText = contentType.includes('grpc-web-text')
    const message = (isText ? Buffer.from(body.toString('latin1'), 'base64') : body).subarray(FRAME_HEADER)
    try {
      const messages = await answer(request.url ?? '', message)
      const frames = Buffer.concat([...messages.map((bytes) => frame(DATA, bytes)), frame(TRAILERS, Buffer.from('grpc-status:0\r\n'))])
      response.writeHead(200, { ...crossOrigin, 'content-type': contentType }).end(isText ? frames.toString('base64') : frames)
    } catch (error) {
      response.writeHead(200, { ...crossOrigin, 'content-type': contentType, ...failure(error) }).end()
    }
  }

  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port')
  return {
    url: `http://${HOST}:${address.port}`,
    setDelay(nextDelayMs) {
      delayMs = nextDelayMs
    },
    setOffline(nextOffline) {
      offline = nextOffline
      if (offline) server.closeAllConnections()
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** An error of the simulator itself is an internal error of the node. */
function failure(error: unknown): Readonly<Record<string, string>> {
  const status = error instanceof GrpcError ? error.status : 'INTERNAL'
  const message = error instanceof Error ? error.message : String(error)
  return { 'grpc-status': String(statusCodes[status]), 'grpc-message': encodeURIComponent(message) }
}

function frame(kind: number, bytes: Uint8Array): Buffer {
  const header = Buffer.alloc(FRAME_HEADER)
  header[0] = kind
  header.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([header, bytes])
}

/** Null if the body is too long. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
