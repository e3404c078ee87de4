/** HTTP requests use keep-alive connections, with limits on time and size. Node's own `fetch` costs several times as much per request. */
import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'

type Headers = Readonly<Record<string, string>>

export type HttpCall = {
  readonly url: string
  /** A function is called each time that the request is sent, for example to sign it again. */
  readonly headers?: Headers | (() => Headers)
  readonly body?: string | Uint8Array
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly signal?: AbortSignal
  /** False means that sending it twice is not the same as sending it once. The default is true. */
  readonly repeatable?: boolean
}

export type HttpAnswer = { readonly status: number; readonly text: string }
export type HttpBytes = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly bytes: Buffer }

/** `code` is ECONNREFUSED, ETIMEDOUT, ETOOLARGE, … The message never quotes the request, which may hold a key. */
export class HttpFailure extends Error {
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'HttpFailure'
    this.code = code
  }
}

const KEEP_ALIVE = { keepAlive: true, maxFreeSockets: 64 } as const
/**
 * A request that must not be sent twice fails if the server has just closed the connection. No server closes one that was idle for less than this, so
 * these requests have connections of their own that are not kept for longer.
 */
const KEEP_FRESH = { ...KEEP_ALIVE, timeout: 2_000 } as const
const plain = { agent: new HttpAgent(KEEP_ALIVE), freshAgent: new HttpAgent(KEEP_FRESH), request: httpRequest }
const secure = { agent: new HttpsAgent(KEEP_ALIVE), freshAgent: new HttpsAgent(KEEP_FRESH), request: httpsRequest }

export async function callHttp(call: HttpCall): Promise<HttpAnswer> {
  const { status, bytes } = await callHttpBytes(call)
  return { status, text: bytes.toString('utf8') }
}

/** If the server has closed a keep-alive connection meanwhile, a repeatable request is sent again over a new one. */
export async function callHttpBytes(call: HttpCall): Promise<HttpBytes> {
  try {
    return await send(call)
  } catch (error) {
    // Another keep-alive connection may be as old, so a new one is opened.
    if (error instanceof StaleConnection && call.repeatable !== false) return send(call, false)
    throw error
  }
}

class StaleConnection extends HttpFailure {}

function send(call: HttpCall, overKeptAlive = true): Promise<HttpBytes> {
  const { url, headers, body, timeoutMs, maxBytes, signal, repeatable = true } = call
  const { agent, freshAgent, request: start } = url.startsWith('https:') ? secure : plain
  return new Promise((resolve, reject) => {
    const request = start(url, {
      agent: !overKeptAlive ? false : repeatable ? agent : freshAgent,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(typeof headers === 'function' ? headers() : headers),
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
      ...(signal !== undefined && { signal }),
    })
    const timer = setTimeout(() => fail(new HttpFailure('ETIMEDOUT', `no answer within ${timeoutMs} ms`)), timeoutMs)
    function fail(error: Error): void {
      clearTimeout(timer)
      reject(error)
      request.destroy()
    }
    request.on('error', (error: NodeJS.ErrnoException) => {
      const code = error.code ?? error.name
      const stale = request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')
      fail(stale ? new StaleConnection(code, code) : new HttpFailure(code, code, { cause: error }))
    })
    request.on('response', (response) => {
      readBytes(response, maxBytes).then((bytes) => {
        clearTimeout(timer)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes })
      }, fail)
    })
    request.end(body)
  })
}

function readBytes(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) reject(new HttpFailure('ETOOLARGE', `the answer is longer than ${maxBytes} bytes`))
      else chunks.push(chunk)
    })
    response.on('end', () => resolve(Buffer.concat(chunks)))
    response.on('error', (error: NodeJS.ErrnoException) =>
      reject(new HttpFailure(error.code ?? error.name, 'the answer broke off', { cause: error })),
    )
    response.on('aborted', () => reject(new HttpFailure('ECONNRESET', 'the answer broke off')))
  })
}
