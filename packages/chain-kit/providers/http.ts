/**
 * Sends HTTP requests to one provider. Every failure to get an answer is `ChainFailure('unreachable')`, and no error quotes a URL, a header
 * or a body: they may hold keys and secrets. A redirect is not followed, so headers never reach another host.
 */
import { setMaxListeners } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { callHttpBytes, HttpFailure } from '@tandem/runtime/http-client.ts'
import { type Endpoint, headersOf, urlOf } from '../port/endpoints.ts'
import { ChainFailure } from '../port/failure.ts'
import { countRequests, type RequestOutcome } from '../port/provider-tally.ts'
import { DEFAULT_WAIT_MS, RateLimited } from './refusal.ts'

/**
 * Requests to a provider are throttled to a rate. After an idle time, up to this long, the unused requests may be sent in a burst.
 */
const BURST_MS = 1_000

/** A request that would wait longer fails immediately: its caller retries, and the queue stays short. */
const MAX_QUEUE_MS = 30_000

export type ProviderRequest = {
  readonly what: string
  readonly path?: string
  readonly body?: string | Uint8Array
  readonly contentType?: 'application/json' | 'text/plain' | 'application/grpc-web+proto'
  readonly timeoutMs: number
  /** False means that the request is not idempotent and must not be retried. The default is true. */
  readonly repeatable?: boolean
  /** True means that the request must not wait for the throttle, such as a transaction to send. */
  readonly isUrgent?: boolean
}

export type ProviderResponse = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: () => string
}

export interface ProviderHttp {
  /** Resolves for every HTTP status except 429, which is `RateLimited`: until its time is over the provider is not asked. */
  request(request: ProviderRequest): Promise<ProviderResponse>
  /** Throw this error when a provider says in another way that we send too many requests. */
  limited(): RateLimited
  close(): void
}

/** No page of logs, mempool or block is as large. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** We ask a provider again after this time even if it wants a longer wait: a redeem may be due. */
const MAX_WAIT_MS = 30_000

export function createProviderHttp(endpoint: Endpoint, maxBytes = MAX_ANSWER_BYTES): ProviderHttp {
  const url = urlOf(endpoint)
  const { base, authorization } = splitCredentials(url)
  const ownHeaders = { ...authorization, ...headersOf(endpoint) }
  const perSecond = typeof endpoint === 'object' ? endpoint.requestsPerSecond : undefined
  const count = countRequests(url)
  const closing = new AbortController()
  // Each running request adds a listener.
  setMaxListeners(0, closing.signal)
  const pace = perSecond === undefined ? null : createPace(perSecond, closing.signal)
  /** The provider wants no requests until this time, by `performance.now()`. */
  let waitUntilMs = Number.NEGATIVE_INFINITY

  const send = ({ path = '', body, contentType = 'application/json', timeoutMs, repeatable = true }: ProviderRequest) =>
    callHttpBytes({
      url: `${base}${path}`,
      headers: { ...ownHeaders, ...(body !== undefined && { 'content-type': contentType }) },
      ...(body !== undefined && { body }),
      timeoutMs,
      maxBytes,
      signal: closing.signal,
      repeatable,
    })

  function limitFor(waitMs: number): RateLimited {
    count('limited')
    waitUntilMs = performance.now() + waitMs
    return new RateLimited(url, waitMs)
  }

  return {
    limited: () => limitFor(DEFAULT_WAIT_MS),
    async request(request) {
      const unreachable = (why: string) => new ChainFailure('unreachable', `${request.what}: ${why}`)
      if (pace !== null && !(await pace.mayStart(request.isUrgent))) throw unreachable('too many requests wait for this provider already')
      if (closing.signal.aborted) throw unreachable('the connection is closed')
      const waitMs = waitUntilMs - performance.now()
      if (waitMs > 0) throw new RateLimited(url, waitMs)
      try {
        const { status, headers, bytes } = await send(request).catch((error: unknown) =>
          isConnectionReset(error) && request.repeatable !== false ? send(request) : Promise.reject(error),
        )
        if (status !== TOO_MANY_REQUESTS) count(outcomeOf(status))
        if (status === TOO_MANY_REQUESTS) throw limitFor(waitAskedFor(headers['retry-after']))
        if (status === UNAVAILABLE && headers['retry-after'] !== undefined)
          waitUntilMs = performance.now() + waitAskedFor(headers['retry-after'])
        return { status, headers, bytes, text: () => bytes.toString('utf8') }
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error
        if (!closing.signal.aborted) count('failed')
        throw unreachable(closing.signal.aborted ? 'the connection was closed' : error.message)
      }
    },
    close: () => closing.abort(),
  }
}

const TOO_MANY_REQUESTS = 429
const UNAVAILABLE = 503

/** Nodes refuse calls with any status. Only these statuses mean a fault of the provider itself. */
function outcomeOf(status: number): RequestOutcome {
  return status === 401 || status === 403 || status === 502 || status === UNAVAILABLE || status === 504 ? 'failed' : 'answered'
}

/** RFC 9110 allows seconds, or a date. */
function waitAskedFor(retryAfter: string | undefined): number {
  if (retryAfter === undefined) return DEFAULT_WAIT_MS
  const ms = /^[0-9]{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now()
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_WAIT_MS) : DEFAULT_WAIT_MS
}

function isConnectionReset(error: unknown): boolean {
  return error instanceof HttpFailure && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}

export function splitCredentials(url: string) {
  const parsed = new URL(url)
  const user = decodeURIComponent(parsed.username)
  const password = decodeURIComponent(parsed.password)
  parsed.username = ''
  parsed.password = ''
  const authorization = user === '' ? {} : { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
  return { base: parsed.href.replace(/\/+$/, ''), authorization }
}

interface Pace {
  /** False means that too many requests wait already. An urgent one does not wait, but counts. */
  mayStart(isUrgent?: boolean): Promise<boolean>
}

type PaceClock = { nowMs(): number; wait(ms: number): Promise<unknown> }

/** `ending` ends all waits. */
function realClock(ending: AbortSignal): PaceClock {
  return { nowMs: () => performance.now(), wait: (ms) => sleep(ms, undefined, { signal: ending }).catch(() => undefined) }
}

export function createPace(perSecond: number, ending: AbortSignal, { nowMs, wait }: PaceClock = realClock(ending)): Pace {
  const intervalMs = 1_000 / perSecond
  let nextAtMs = Number.NEGATIVE_INFINITY
  return {
    async mayStart(isUrgent = false) {
      const now = nowMs()
      const atMs = Math.max(nextAtMs, now - BURST_MS + intervalMs)
      if (!isUrgent && atMs - now > MAX_QUEUE_MS) return false
      nextAtMs = atMs + intervalMs
      if (!isUrgent && atMs > now) await wait(atMs - now)
      return true
    },
  }
}
