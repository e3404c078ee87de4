/** Sends gRPC-web to one provider: unary calls over HTTP, with the messages of the SDK. */
import type { Endpoint } from '@tandem/chain-kit/port/endpoints.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { createProviderHttp, type ProviderResponse } from '@tandem/chain-kit/providers/http.ts'
import { Refusal, saysTooMany } from '@tandem/chain-kit/providers/refusal.ts'

export interface MessageOf<T extends object> {
  create(value?: object): T
  toBinary(message: T): Uint8Array
  fromBinary(data: Uint8Array): T
}

export type Method<Q extends object, A extends object> = {
  /** The path is e.g. `sui.rpc.v2.LedgerService/GetObject`. */
  readonly path: string
  readonly request: MessageOf<Q>
  readonly response: MessageOf<A>
}

export interface GrpcWeb {
  /** Rejects with a Refusal of the gRPC status code, or with `unreachable` if there is no usable answer. */
  call<Q extends object, A extends object>(method: Method<Q, A>, request: Partial<Q>): Promise<A>
  close(): void
}

/** The codes are those of https://grpc.io/docs/guides/status-codes. */
export const status = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
} as const

/** The provider's own failures say nothing about the chain. */
const troubles: ReadonlySet<number> = new Set([
  status.cancelled,
  status.deadlineExceeded,
  status.permissionDenied,
  status.resourceExhausted,
  status.unimplemented,
  status.internal,
  status.unavailable,
  status.dataLoss,
  status.unauthenticated,
])

const HEADER_BYTES = 5
/** The frame with the trailers has this flag. */
const TRAILERS = 0x80
const MAX_MESSAGE_LENGTH = 300

export function createGrpcWeb(endpoint: Endpoint, timeoutMs: number, maxBytes?: number): GrpcWeb {
  const http = createProviderHttp(endpoint, maxBytes)
  return {
    async call({ path, request: Request, response: Response }, request) {
      const body = frameOf(Request.toBinary(Request.create(request)))
      const what = path.slice(path.indexOf('/') + 1)
      // All calls may be repeated: a transaction that is sent twice is the same transaction.
      const answer = await http.request({ what, path: `/${path}`, body, contentType: 'application/grpc-web+proto', timeoutMs })
      const message = messageIn(what, answer, http.limited)
      try {
        return Response.fromBinary(message)
      } catch (error) {
        throw new ChainFailure('unreachable', `${what}: the node's answer is malformed`, { cause: error })
      }
    },
    close: http.close,
  }
}

function frameOf(message: Uint8Array): Uint8Array {
  const frame = Buffer.alloc(HEADER_BYTES + message.length)
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, HEADER_BYTES)
  return frame
}

/** The status is in the last frame, or in the HTTP headers if there is no other frame. */
function messageIn(what: string, { status: http, headers, bytes }: ProviderResponse, limited: () => Error): Uint8Array {
  const { messages, trailers } = framesIn(what, http, bytes)
  const headerOf = (name: string) => trailers.get(name) ?? single(headers[name])
  const code = headerOf('grpc-status')
  if (code === undefined || !/^[0-9]{1,2}$/.test(code)) throw new ChainFailure('unreachable', `${what}: HTTP ${http} without a gRPC status`)
  if (Number(code) === status.resourceExhausted && saysTooMany(decoded(headerOf('grpc-message') ?? ''))) throw limited()
  if (Number(code) !== status.ok) throw refusalOf(what, Number(code), headerOf('grpc-message') ?? '')
  const [message, ...more] = messages
  if (message === undefined || more.length > 0) throw new ChainFailure('unreachable', `${what}: ${messages.length} messages, expected one`)
  return message
}

function refusalOf(what: string, code: number, message: string): Error {
  const text = decoded(message).slice(0, MAX_MESSAGE_LENGTH)
  if (troubles.has(code)) return new ChainFailure('unreachable', `${what}: the node cannot answer now (${code} ${text})`)
  return new Refusal(code, text)
}

function framesIn(what: string, http: number, bytes: Buffer) {
  const messages: Uint8Array[] = []
  let trailers = new Map<string, string>()
  for (let at = 0; at < bytes.length; ) {
    const end = at + HEADER_BYTES + (at + HEADER_BYTES <= bytes.length ? bytes.readUInt32BE(at + 1) : 0)
    // Proxies in front of a node answer with a page.
    if (at + HEADER_BYTES > bytes.length || end > bytes.length)
      throw new ChainFailure('unreachable', `${what}: HTTP ${http} without gRPC frames`)
    const content = bytes.subarray(at + HEADER_BYTES, end)
    if (((bytes[at] ?? 0) & TRAILERS) === 0) messages.push(content)
    else trailers = parseTrailers(content.toString('latin1'))
    at = end
  }
  return { messages, trailers }
}

function parseTrailers(text: string): Map<string, string> {
  const lines = text.split('\r\n').filter((line) => line.includes(':'))
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).trim().toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]))
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

/** gRPC encodes messages like URLs. */
function decoded(message: string): string {
  try {
    return decodeURIComponent(message)
  } catch {
    return message
  }
}
