/** Rate limit per app: its own limit or the operator's default. Every response states it. */
import type { onRequestHookHandler } from 'fastify'
import { TandemError } from '../../protocol/error.ts'
import type { App } from '../../store/apps/apps.ts'
import type { ServiceContext } from '../context.ts'

const WINDOW_MS = 60_000

/** Headers of the IETF draft "RateLimit header fields for HTTP". CORS exposes them to scripts. */
export const rateLimitHeaders = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'] as const

export type RateLimitLeft = Readonly<Record<'ratelimit-limit' | 'ratelimit-remaining' | 'ratelimit-reset', number>>

export interface RateLimit {
  readonly hook: onRequestHookHandler
  /** Counts one request, and says what is left. Null: the limit is reached, and nothing is counted; the hook says so to the client. */
  count(app: App): RateLimitLeft | null
}

type Window = { readonly endsAt: number; calls: number }

/**
 * Counts per app and minute, in this process: n processes on one database allow n times the limit.
 * Only known apps get here, so the number of windows is bounded by the number of apps.
 */
export function createRateLimit({ settings }: ServiceContext): RateLimit {
  const windows = new Map<string, Window>()

  function currentWindow(app: string, now: number): Window {
    const known = windows.get(app)
    if (known !== undefined && now < known.endsAt) return known
    const fresh = { endsAt: now + WINDOW_MS, calls: 0 }
    windows.set(app, fresh)
    return fresh
  }

  const limitOf = ({ rateLimitPerMinute }: App) => rateLimitPerMinute ?? settings.rateLimitPerMinute

  const hook: onRequestHookHandler = (request, reply, done) => {
    const limit = limitOf(request.callingApp)
    const now = performance.now()
    const window = currentWindow(request.callingApp.name, now)
    window.calls += 1
    const left = leftOf(limit, window, now)
    void reply.headers(left)
    if (window.calls <= limit) {
      done()
      return
    }
    const seconds = left['ratelimit-reset']
    void reply.header('retry-after', seconds)
    done(new TandemError('rate_limited', `more than ${limit} requests in a minute: try again in ${seconds} seconds`))
  }

  return {
    hook,
    count(app) {
      const limit = limitOf(app)
      const now = performance.now()
      const window = currentWindow(app.name, now)
      if (window.calls >= limit) return null
      window.calls += 1
      return leftOf(limit, window, now)
    },
  }
}

function leftOf(limit: number, { calls, endsAt }: Window, now: number): RateLimitLeft {
  return {
    'ratelimit-limit': limit,
    'ratelimit-remaining': Math.max(0, limit - calls),
    'ratelimit-reset': Math.ceil((endsAt - now) / 1000),
  }
}
