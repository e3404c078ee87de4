/** Which app is calling, and whether it may: every /v2 endpoint needs its id in a header. */
import type { FastifyRequest } from 'fastify'
import { TandemError } from '../../protocol/error.ts'
import { type App, findApp } from '../../store/apps.ts'
import type { ServiceContext } from '../context.ts'
import { createShortMemory } from '../short-memory.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the authentication of every /v2 route. */
    callingApp: App
  }
}

const MAX_REMEMBERED_APPS = 10_000

export function createAuthentication({ db, settings }: ServiceContext): (request: FastifyRequest) => Promise<void> {
  const [preferred] = settings.appIdHeaders
  const apps = createShortMemory<App | null>({ keepMs: settings.appCacheMs, maxEntries: MAX_REMEMBERED_APPS })

  return async (request) => {
    const given = settings.appIdHeaders.map((name) => request.headers[name]).find((value) => value !== undefined)
    if (given === undefined) throw new TandemError('unauthorized', `the header ${preferred} with your app id is missing`)
    const id = typeof given === 'string' && /^[0-9a-fA-F]{64}$/.test(given) ? given.toLowerCase() : null
    const app = id === null ? null : await apps.get(id, () => findApp(db, id))
    if (app === null) throw new TandemError('unauthorized', `the app id in the header ${preferred} is not known here`)
    const { origin } = request.headers
    if (origin !== undefined && !settings.allowAnyOrigin && !app.allowedOrigins.includes(origin)) {
      throw new TandemError('forbidden', `pages of ${origin.slice(0, 200)} may not use this app id: its allowed origins do not list it`)
    }
    const needed = request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'trade'
    if (!app.permissions.includes(needed))
      throw new TandemError('forbidden', `this app id may not ${needed}: its permissions do not list it`)
    request.callingApp = app
  }
}
