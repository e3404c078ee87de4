/** One HTTP request at a time over kept connections, with limits on time and size. Node's own `fetch` costs several times as much for each call. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'

export type HttpCall = {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** With a body it is a POST. */
  readonly body?: string
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly signal?: AbortSignal
  /** False: asking twice is not the same as asking once. */
  readonly repeatable?: boolean
}

export type HttpAnswer = { readonly status: number; readonly text: string }

/** `code` is what went wrong (ECONNREFUSED, …); the message never quotes the request, which may hold a key. */
export class HttpFailure extends Error {
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'HttpFailure'
    this.code = code
  }
}

const KEPT = { keepAlive: true, maxFreeSockets: 64 } as const
const plain = { agent: new HttpAgent(KEPT), request: httpRequest }
const secure = { agent: new HttpsAgent(KEPT), request: httpsRequest }

/** A kept connection that the other side has closed meanwhile is replaced, and the request sent again unless it is not repeatable. */
export async function callHttp(call: HttpCall): Promise<HttpAnswer> {
  try {
    return await send(call)
  } catch (error) {
    // A new connection: the other kept ones may be as old.
    if (error instanceof StaleConnection && call.repeatable !== false) return send(call, false)
    throw error
  }
}

class StaleConnection extends HttpFailure {}

function send({ url, headers, body, timeoutMs, maxBytes, signal }: HttpCall, overKept = true): Promise<HttpAnswer> {
  const { agent, request: start } = url.startsWith('https:') ? secure : plain
  return new Promise((resolve, reject) => {
    const request = start(url, {
      agent: overKept ? agent : false,
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
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
      readText(response, maxBytes).then((text) => {
        clearTimeout(timer)
        resolve({ status: response.statusCode ?? 0, text })
      }, fail)
    })
    request.end(body)
  })
}

function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) reject(new HttpFailure('ETOOLARGE', `the answer is longer than ${maxBytes} bytes`))
      else chunks.push(chunk)
    })
    response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    response.on('error', (error: NodeJS.ErrnoException) =>
      reject(new HttpFailure(error.code ?? error.name, 'the answer broke off', { cause: error })),
    )
    response.on('aborted', () => reject(new HttpFailure('ECONNRESET', 'the answer broke off')))
  })
}
