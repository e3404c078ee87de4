/** CORS (Fetch standard) decides which web pages may call. A preflight request carries no app id, so it passes if any app lists its origin. */

import { listOrigins } from '@tandem/party/store/apps/apps.ts'
import { createTtlCache } from '@tandem/runtime/ttl-cache.ts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ServiceContext } from '../context.ts'
import { rateLimitHeaders } from './rate-limit.ts'

const PREFLIGHT_KEEP_SECONDS = 600

/** Requests without an `Origin` header do not come from web pages and are not checked. */
export function allowOrigins(server: FastifyInstance, { db, settings }: ServiceContext): void {
  const exposed = ['request-id', 'etag', ...rateLimitHeaders].join(', ')
  const allowed = ['content-type', 'idempotency-key', 'if-none-match', 'last-event-id', 'order-token', ...settings.appIdHeaders].join(', ')
  const listed = createTtlCache<ReadonlySet<string>>({ keepMs: settings.appCacheMs, maxEntries: 1 })

  async function isAllowed(origin: string): Promise<boolean> {
    return settings.allowAnyOrigin || (await listed.get('', () => listOrigins(db))).has(origin)
  }

  async function allow(origin: string, reply: FastifyReply): Promise<boolean> {
    void reply.header('vary', 'origin')
    if (!(await isAllowed(origin))) return false
    void reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposed)
    return true
  }

  server.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    if (origin === undefined) {
      done()
      return
    }
    allow(origin, reply).then((isAllowed) => {
      if (request.method !== 'OPTIONS') return done()
      if (isAllowed) {
        void reply
          .header('access-control-allow-methods', 'GET, POST, PATCH')
          .header('access-control-allow-headers', allowed)
          .header('access-control-max-age', PREFLIGHT_KEEP_SECONDS)
      }
      void reply.status(204).send()
    }, done)
  })
}
