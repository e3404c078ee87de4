/** Thrown errors become error responses only here. */
import type { Socket } from 'node:net'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { databaseFault } from '@tandem/party/store/database/database-fault.ts'
import { type ErrorCode, errorStatus, TandemError } from '@tandem/protocol/error.ts'
import { failure } from '@tandem/protocol/wire/envelope.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import type { ConnectionError, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { wantsPage } from '../web/missing-page.ts'

/** A 503 that names no time gets this `Retry-After`. */
const RETRY_SECONDS = 2

export type ErrorAnswer = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void

export function createErrorAnswer(log: Logger): ErrorAnswer {
  return (error, request, reply) => {
    const { code, message } = explain(error) ?? {
      code: 'internal',
      message: `internal error; its id in our log is ${request.id}`,
    }
    const about = { err: error, request: request.id, method: request.method, url: request.url }
    const fault = databaseFault(error)
    if (code === 'internal') log.error(about, 'a request failed unexpectedly')
    else if (fault !== null) log.warn({ request: request.id, reason: fault }, 'a request failed because of the database')
    else if (error instanceof ChainFailure) log.warn(about, 'a request failed because of a chain')
    const seconds = (error instanceof TandemError ? error.retryAfterSeconds : null) ?? (errorStatus[code] === 503 ? RETRY_SECONDS : null)
    if (seconds !== null) void reply.header('retry-after', seconds)
    // Router errors happen before any hook runs, so the header is set here too.
    void reply.status(errorStatus[code]).header('request-id', request.id).send(failure(code, message))
  }
}

/** An HTTP/1.1 request must have a Host header (RFC 9112 section 3.2). */
export function refuseWithoutHost({ raw }: FastifyRequest): TandemError | undefined {
  if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return undefined
  return new TandemError('bad_request', 'the header Host is missing: expected the name of this server')
}

/** Answers bytes that are not HTTP: there is a connection but no request. */
export function answerBrokenRequest(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const body = JSON.stringify(failure('bad_request', 'the request is not valid HTTP, too slow, or its header is too large'))
  if (socket.writable) {
    socket.write(
      `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    )
  }
  socket.destroy(error)
}

/** Returns null for an unexpected error. */
function explain(error: unknown): { readonly code: ErrorCode; readonly message: string } | null {
  if (error instanceof TandemError) return error
  // A node's error text may contain its URL with the operator's API key: log it, never return it.
  if (error instanceof ChainFailure) return { code: 'chain_unavailable', message: 'a chain could not be reached; try again' }
  // The client hung up in the middle of its body: nobody reads the answer, and nothing is wrong here.
  if (isHangUp(error)) return { code: 'bad_request', message: 'the connection ended before the body did' }
  const fault = databaseFault(error)
  if (fault !== null) return { code: 'chain_unavailable', message: `${fault}; try again` }
  return isFastifyError(error) ? explainFramework(error) : null
}

/** Recognises Node's error of a request whose client is gone. Errors of our own connections have a `syscall`. */
function isHangUp(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET' && !('syscall' in error)
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('FST_')
}

function explainFramework({ code, statusCode }: FastifyError): { readonly code: ErrorCode; readonly message: string } | null {
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return { code: 'payload_too_large', message: 'the body is larger than the limit' }
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return { code: 'unsupported_media_type', message: 'the body must be JSON, sent with content-type: application/json' }
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return { code: 'bad_request', message: 'the body is not valid JSON' }
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return { code: 'not_found', message: 'a part of the path is longer than any id' }
    default:
      return statusCode !== undefined && statusCode >= 400 && statusCode < 500
        ? { code: 'bad_request', message: 'the request could not be read: check its path, headers and body' }
        : null
  }
}

/** Accepts only JSON bodies. Reads an empty body as an empty object. */
export function parseJsonBodies(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error')
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) done(null, {})
    else parse(request, String(body), done)
  })
}

/** It must be made before the routes, whose methods it records. `sendPage` resolves to null if there is no page for people. */
export function createUnknownRouteAnswer(
  server: FastifyInstance,
  sendPage: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | null>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const methods = new Map<string, Set<string>>()
  server.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set()
    for (const name of Array.isArray(method) ? method : [method]) known.add(name)
    methods.set(url, known)
  })

  return async (request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    const asked = `${request.method} ${path.slice(0, 200)}`
    const allowed = [...methods].filter(([url]) => isPath(url, path)).flatMap(([, known]) => [...known])
    if (allowed.length === 0) {
      const page = wantsPage(request) ? await sendPage(request, reply) : null
      if (page !== null) return page
      throw new TandemError('not_found', `there is no ${asked} here`)
    }
    const allow = [...new Set(allowed)].toSorted().join(', ')
    void reply.header('allow', allow)
    throw new TandemError('method_not_allowed', `there is no ${asked} here: this path takes ${allow}`)
  }
}

/** `:name` in a route matches any one part. Slashes may be repeated. */
function isPath(route: string, path: string): boolean {
  const [expected, given] = [partsOf(route), partsOf(path)]
  return expected.length === given.length && expected.every((part, at) => part.startsWith(':') || part === given[at])
}

const partsOf = (path: string): readonly string[] => path.split('/').filter((part) => part !== '')
