/** Which web pages may call. A preflight request carries no app id, so it passes for an origin that any app lists. */
import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import type { Database } from '../../store/database.ts'
import type { ServiceContext } from '../context.ts'
import { rateLimitHeaders } from './rate-limit.ts'

export function allowOrigins(server: FastifyInstance, { db, settings }: ServiceContext): void {
  void server.register(cors, {
    origin: settings.allowAnyOrigin || (async (origin: string | undefined) => origin !== undefined && (await isListedOrigin(db, origin))),
    methods: ['GET', 'POST', 'PATCH'],
    allowedHeaders: ['content-type', 'idempotency-key', 'if-none-match', 'order-token', ...settings.appIdHeaders],
    exposedHeaders: ['request-id', 'etag', ...rateLimitHeaders],
    maxAge: 600,
    strictPreflight: false,
  })
}

async function isListedOrigin(db: Database, origin: string): Promise<boolean> {
  const apps = await db.selectFrom('apps').select('allowed_origins').where('disabled', '=', false).execute()
  return apps.some((app) => app.allowed_origins.includes(origin))
}
