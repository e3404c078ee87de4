// Serves gRPC-web over HTTP. https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
import { type HttpAnswer, type LocalServer, startLocalServer } from '@tandem/chain-kit/local/local-server.ts'
import { GrpcError, statusCodes } from './status.ts'

export interface GrpcServer extends LocalServer {
  readonly url: string
}

/** Request and answer are protobuf. `path` is `/package.Service/Method`. A stream has several messages. Rejects with a GrpcError. */
export type AnswerBytes = (path: string, request: Uint8Array) => Promise<readonly Uint8Array[]>

const MAX_BYTES = 16 * 1024 * 1024
const FRAME_HEADER = 5
const DATA = 0x00
const TRAILERS = 0x80

export async function startGrpcServer(answer: AnswerBytes, port: number): Promise<GrpcServer> {
  async function post(body: Buffer, { path, contentType }: { readonly path: string; readonly contentType: string }): Promise<HttpAnswer> {
    const headers = { 'content-type': contentType, 'access-control-expose-headers': 'grpc-status, grpc-message' }
    const isText = contentType.includes('grpc-web-text')
    const message = (isText ? Buffer.from(body.toString('latin1'), 'base64') : body).subarray(FRAME_HEADER)
    try {
      const messages = await answer(path, message)
      const frames = Buffer.concat([...messages.map((bytes) => frame(DATA, bytes)), frame(TRAILERS, Buffer.from('grpc-status:0\r\n'))])
      return { headers, body: isText ? frames.toString('base64') : frames }
    } catch (error) {
      return { headers: { ...headers, ...failure(error) }, body: '' }
    }
  }

  const server = await startLocalServer({
    port,
    maxBytes: MAX_BYTES,
    post: (body, { url = '', headers }) => post(body, { path: url, contentType: headers['content-type'] ?? '' }),
  })
  return { ...server, url: `http://127.0.0.1:${server.port}` }
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
