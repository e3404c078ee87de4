// Serves JSON-RPC over HTTP and websocket for simulators of nodes. One message is a request or a batch of them.
import { type Listener, type LocalServer, type LocalServerOptions, startLocalServer } from './local-server.ts'

export class RpcError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.name = 'RpcError'
    this.code = code
    this.data = data
  }
}

export type Answer<P> = (method: string, params: P) => unknown

export type RpcHandlers<P> = {
  readonly http: Answer<P>
  readonly socket: (listener: Listener, ...request: Parameters<Answer<P>>) => unknown
  readonly disconnected: (listener: Listener) => void
}

export type Dialect<P> = {
  readonly parseError: () => RpcError
  readonly invalidRequest: () => RpcError
  readonly internalError: (reason: string) => RpcError
  readonly paramsOf: (params: unknown) => P | undefined
  readonly write: (message: object) => string
}

export function startJsonRpcServer<P>(
  { http, socket, disconnected }: RpcHandlers<P>,
  dialect: Dialect<P>,
  options: Pick<LocalServerOptions, 'port' | 'maxBytes' | 'pages'>,
): Promise<LocalServer> {
  return startLocalServer({
    ...options,
    post: (body) => ({ headers: { 'content-type': 'application/json' }, body: answerText(body.toString('utf8'), http, dialect) }),
    socket: {
      answer: (listener, message) => answerText(message, (method, params) => socket(listener, method, params), dialect),
      disconnected,
    },
  })
}

function answerText<P>(text: string, answer: Answer<P>, dialect: Dialect<P>): string {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return failure(null, dialect.parseError(), dialect)
  }
  if (!Array.isArray(parsed)) return answerOne(parsed, answer, dialect)
  if (parsed.length === 0) return failure(null, dialect.invalidRequest(), dialect)
  return `[${parsed.map((request) => answerOne(request, answer, dialect)).join(',')}]`
}

function answerOne<P>(request: unknown, answer: Answer<P>, dialect: Dialect<P>): string {
  const fields: Readonly<Record<string, unknown>> = typeof request === 'object' && request !== null ? { ...request } : {}
  const { id = null, method, params: given } = fields
  const params = dialect.paramsOf(given)
  if (typeof method !== 'string' || params === undefined) return failure(null, dialect.invalidRequest(), dialect)
  try {
    return dialect.write({ jsonrpc: '2.0', result: answer(method, params) ?? null, id })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return failure(id, error instanceof RpcError ? error : dialect.internalError(reason), dialect)
  }
}

function failure(id: unknown, { code, message, data }: RpcError, { write }: Pick<Dialect<unknown>, 'write'>): string {
  return write({ jsonrpc: '2.0', error: { code, message, ...(data !== undefined && { data }) }, id })
}
