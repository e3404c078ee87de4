/**
 * HTTP to one provider. Every failure to get an answer is `ChainFailure('unreachable')`, and no error quotes a URL, a header or a body: they may hold keys
 * and secrets. A redirect is not followed, so headers never reach another host.
 */
import { setMaxListeners } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { callHttpBytes, HttpFailure } from '@tandem/runtime/http-client.ts'
import { type Endpoint, headersOf, urlOf } from '../port/endpoints.ts'
import { ChainFailure } from '../port/failure.ts'
import { countRequests, type RequestOutcome } from '../port/provider-tally.ts'
import { DEFAULT_WAIT_MS, RateLimited } from './rate-limited.ts'

/**
 * Spaces requests to a provider: at most so many a second, with those of an unused second in one go. Requests may come at once for the time in which none
 * came, up to this.
 */
const BURST_MS = 1_000

/** A request that would wait longer fails at once: its caller asks again, and the queue stays short. */
const LONGEST_WAIT_MS = 30_000

export type ProviderRequest = {
  /** For error texts: a method or a path. */
  readonly what: string
  /** Appended to the URL of the provider. */
  readonly path?: string
  /** With a body it is a POST. */
  readonly body?: string | Uint8Array
  readonly contentType?: 'application/json' | 'text/plain' | 'application/grpc-web+proto'
  readonly timeoutMs: number
  /** False: not idempotent, so it is never retried. Default: true. */
  readonly repeatable?: boolean
  /** It does not wait where requests are spaced, such as a transaction to send. */
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
  /** For a provider that says in another way that we ask too often: the error to throw. */
  limited(): RateLimited
  /** Aborts open requests; later requests fail. */
  close(): void
}

/** More than any page of logs, mempool or block. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** A provider that asks for more than this is asked again all the same: a redeem may be due. */
const MAX_WAIT_MS = 30_000

/** The URL may carry `user:password@`, sent as Basic authentication. */
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
  /** Until then the provider wants no requests, by `performance.now()`. */
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
      if (pace !== null && !(await pace.turn(request.isUrgent))) throw unreachable('too many requests wait for this provider already')
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

/** Nodes refuse calls with any status: only these are the provider's own trouble. */
function outcomeOf(status: number): RequestOutcome {
  return status === 401 || status === 403 || status === 502 || status === UNAVAILABLE || status === 504 ? 'failed' : 'answered'
}

/** RFC 9110: seconds, or a date. */
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
  /** Resolves when it is the turn of a request. False: too many wait already. An urgent one does not wait, but counts. */
  turn(isUrgent?: boolean): Promise<boolean>
}

type PaceClock = { nowMs(): number; wait(ms: number): Promise<unknown> }

/** `ending`: ends all waits. */
function realClock(ending: AbortSignal): PaceClock {
  return { nowMs: () => performance.now(), wait: (ms) => sleep(ms, undefined, { signal: ending }).catch(() => undefined) }
}

export function createPace(perSecond: number, ending: AbortSignal, { nowMs, wait }: PaceClock = realClock(ending)): Pace {
  const intervalMs = 1_000 / perSecond
  let nextAtMs = Number.NEGATIVE_INFINITY
  return {
    async turn(isUrgent = false) {
      const now = nowMs()
      const atMs = Math.max(nextAtMs, now - BURST_MS + intervalMs)
      if (!isUrgent && atMs - now > LONGEST_WAIT_MS) return false
      nextAtMs = atMs + intervalMs
      if (!isUrgent && atMs > now) await wait(atMs - now)
      return true
    },
  }
}
