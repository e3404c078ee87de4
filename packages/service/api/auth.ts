/** Authenticates the calling app: every /v2 endpoint needs an app id in a header. */

import { type App, findApp } from '@tandem/party/store/apps/apps.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { createTtlCache } from '@tandem/runtime/ttl-cache.ts'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { ServiceContext } from '../context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The authentication of every /v2 route sets it. */
    callingApp: App
  }
  interface FastifyContextConfig {
    /** The query may carry the app id as `app_id`, for clients that cannot set headers. */
    takesAppIdInQuery?: boolean
  }
}

const MAX_CACHED_APPS = 10_000

/** The hook takes a callback and is not async, so that a cached app costs no extra tick of the event loop. */
export function createAuthentication({ db, settings }: ServiceContext): onRequestHookHandler {
  const [preferred] = settings.appIdHeaders
  const apps = createTtlCache<App | 'unknown'>({ keepMs: settings.appCacheMs, maxEntries: MAX_CACHED_APPS })

  function readId(request: FastifyRequest): string {
    for (const name of settings.appIdHeaders) {
      const given = request.headers[name]
      if (given !== undefined) return String(given)
    }
    // The framework makes a new object of the options for each read, so they are read only when no header has the id.
    if (request.routeOptions.config.takesAppIdInQuery === true) {
      const { app_id: given } = request.query as { readonly app_id?: unknown }
      if (given !== undefined) return String(given)
    }
    throw new TandemError('unauthorized', `the header ${preferred} with your app id is missing`)
  }

  function admit(request: FastifyRequest, app: App | 'unknown'): void {
    if (app === 'unknown')
      throw new TandemError(
        'unauthorized',
        `the app id in the header ${preferred} is not known here: check it, or ask the operator of this service for one`,
      )
    const { origin } = request.headers
    if (origin !== undefined && !settings.allowAnyOrigin && !app.allowedOrigins.includes(origin)) {
      throw new TandemError(
        'forbidden',
        `pages of ${origin.slice(0, 200)} may not use this app id: the operator sets its allowed origins with \`tandem apps update --origin\``,
      )
    }
    const needed = request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'trade'
    if (!app.permissions.includes(needed))
      throw new TandemError(
        'forbidden',
        `this app id may not ${needed}: the operator sets its permissions with \`tandem apps update --permissions\``,
      )
    request.callingApp = app
  }

  async function admitFromDatabase(request: FastifyRequest, id: string): Promise<void> {
    // Malformed ids are not cached: they may be long.
    const isId = /^[0-9a-fA-F]{64}$/.test(id)
    admit(request, isId ? await apps.get(id, async () => (await findApp(db, id.toLowerCase())) ?? 'unknown') : 'unknown')
  }

  return (request, _reply, done) => {
    try {
      const id = readId(request)
      const known = apps.peek(id)
      if (known === undefined) {
        admitFromDatabase(request, id).then(() => done(), done)
        return
      }
      admit(request, known)
      done()
    } catch (error) {
      done(error as Error)
    }
  }
}
