/** Sends one request to the service, repeats it where that is safe, and opens the envelope. */

import { sleep } from '@tandem/chain-kit/browser/sleep.ts'
import type { Failure, Success } from '@tandem/protocol/wire/envelope.ts'
import { ApiError, errorOf, NetworkError } from './errors.ts'

export type HttpOptions = {
  /** The URL contains the version: https://api.example.org/v2 */
  readonly baseUrl: string
  readonly appId: string
  /** The default is the global one. */
  readonly fetch?: typeof fetch
  /** How often a request is repeated. Default: 4. */
  readonly retries?: number
  /** How long one attempt may take. Default: 30 s. */
  readonly timeoutMs?: number
}

export type HttpRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

export type Http = <T>(request: HttpRequest) => Promise<T>

const FIRST_BACKOFF_MS = 250
const MAX_BACKOFF_MS = 8_000
/** If the service asks for a longer wait, the caller gets its error. */
const MAX_RETRY_AFTER_SECONDS = 30

/** Every request of the client may be repeated: POST /orders has an Idempotency-Key, and a repeated PATCH joins the first. */
export function createHttp(options: HttpOptions): Http {
  const { retries = 4, timeoutMs = 30_000 } = options
  const call = options.fetch ?? globalThis.fetch

  async function attempt<T>({ method, path, query, body, headers, signal }: HttpRequest): Promise<T> {
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const response = await call(`${options.baseUrl}${path}${queryText(query)}`, {
        method,
        headers: {
          'service-app-id': options.appId,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      })
      return open(response, (await response.json()) as Success<T> | Failure)
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof ApiError) throw error
      throw new NetworkError(`${method} ${path}: ${error instanceof Error ? error.message : 'no answer'}`, { cause: error })
    }
  }

  return async <T>(request: HttpRequest) => {
    for (let repeats = 0; ; repeats += 1) {
      try {
        return await attempt<T>(request)
      } catch (error) {
        request.signal?.throwIfAborted()
        const waitMs = retryDelayMs(error, repeats)
        if (repeats >= retries || waitMs === null) throw error
        await sleep(waitMs, request.signal)
      }
    }
  }
}

function open<T>(response: Response, envelope: Success<T> | Failure): T {
  if (envelope.status === 'Ok') return envelope.result
  if (envelope.status !== 'Error') throw new NetworkError(`the service answered ${response.status} without an envelope`)
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  throw errorOf(envelope.code, envelope.error, {
    httpStatus: response.status,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : null,
  })
}

/** Returns the milliseconds until a repeat may succeed, or null if it cannot. */
function retryDelayMs(error: unknown, repeats: number): number | null {
  // The jitter keeps many clients of one service from coming back at the same moment.
  const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** repeats, MAX_BACKOFF_MS) * (0.5 + Math.random() / 2)
  if (error instanceof NetworkError) return backoff
  if (!(error instanceof ApiError) || (error.httpStatus < 500 && error.httpStatus !== 429)) return null
  if (error.retryAfterSeconds === null) return backoff
  return error.retryAfterSeconds > MAX_RETRY_AFTER_SECONDS ? null : Math.max(error.retryAfterSeconds * 1000, backoff)
}

function queryText(query: HttpRequest['query']): string {
  const given = Object.entries(query ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]))
  return given.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(given))}`
}
