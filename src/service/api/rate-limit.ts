/** Rate limit per app: its own limit or the operator's default. Every response states it. */
import type { FastifyReply, onRequestHookHandler } from 'fastify'
import { TandemError } from '../../protocol/error.ts'
import type { ServiceContext } from '../context.ts'

const WINDOW_MS = 60_000

/** Headers of the IETF draft "RateLimit header fields for HTTP". CORS exposes them to scripts. */
export const rateLimitHeaders = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'] as const

type Window = { readonly endsAt: number; calls: number }

/**
 * Counts per app and minute, in this process: n processes on one database allow n times the limit.
 * Only known apps get here, so the number of windows is bounded by the number of apps.
 */
export function createRateLimit({ settings }: ServiceContext): onRequestHookHandler {
  const windows = new Map<string, Window>()

  function currentWindow(app: string, now: number): Window {
    const known = windows.get(app)
    if (known !== undefined && now < known.endsAt) return known
    const fresh = { endsAt: now + WINDOW_MS, calls: 0 }
    windows.set(app, fresh)
    return fresh
  }

  return (request, reply, done) => {
    const { name, rateLimitPerMinute } = request.callingApp
    const limit = rateLimitPerMinute ?? settings.rateLimitPerMinute
    const now = performance.now()
    const window = currentWindow(name, now)
    window.calls += 1
    const seconds = Math.ceil((window.endsAt - now) / 1000)
    setHeaders(reply, limit, Math.max(0, limit - window.calls), seconds)
    if (window.calls <= limit) {
      done()
      return
    }
    void reply.header('retry-after', seconds)
    done(new TandemError('rate_limited', `more than ${limit} requests in a minute: try again in ${seconds} seconds`))
  }
}

function setHeaders(reply: FastifyReply, limit: number, remaining: number, seconds: number): void {
  void reply.header('ratelimit-limit', limit).header('ratelimit-remaining', remaining).header('ratelimit-reset', seconds)
}
