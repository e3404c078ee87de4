/** How often an app may call: its own limit or the operator's, told in every answer. */
import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import { TandemError } from '../../protocol/error.ts'
import type { ServiceContext } from '../context.ts'

const MINUTE_MS = 60_000

/** Headers of the IETF draft "RateLimit header fields for HTTP", which browsers' scripts may read. */
export const rateLimitHeaders = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'] as const

/** To be registered after the authentication, before the routes that it limits. */
export function limitRates(v2: FastifyInstance, { settings }: ServiceContext): void {
  void v2.register(rateLimit, {
    timeWindow: MINUTE_MS,
    enableDraftSpec: true,
    keyGenerator: (request) => request.callingApp.name,
    max: (request) => request.callingApp.rateLimitPerMinute ?? settings.rateLimitPerMinute,
    errorResponseBuilder: (_request, { max, ttl }) =>
      new TandemError('rate_limited', `more than ${max} requests in a minute: try again in ${Math.ceil(ttl / 1000)} seconds`),
  })
}
