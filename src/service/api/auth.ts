/** Which app is calling: every /v2 endpoint needs its id in a header. */
import type { FastifyRequest } from 'fastify'
import { TandemError } from '../../protocol/error.ts'
import { type App, findApp } from '../../store/apps.ts'
import type { ServiceContext } from '../context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the authentication of every /v2 route. */
    callingApp: App
  }
}

export async function authenticate({ db, settings }: ServiceContext, request: FastifyRequest): Promise<void> {
  const [preferred] = settings.appIdHeaders
  const given = settings.appIdHeaders.map((name) => request.headers[name]).find((value) => value !== undefined)
  if (given === undefined) throw new TandemError('unauthorized', `the header ${preferred} with your app id is missing`)
  const app = typeof given === 'string' && /^[0-9a-fA-F]{64}$/.test(given) ? await findApp(db, given.toLowerCase()) : null
  if (app === null) throw new TandemError('unauthorized', `the app id in the header ${preferred} is not known here`)
  const { origin } = request.headers
  if (origin !== undefined && !settings.allowAnyOrigin && !app.allowedOrigins.includes(origin)) {
    throw new TandemError('forbidden', `pages of ${origin.slice(0, 200)} may not use this app id: its allowed origins do not list it`)
  }
  request.callingApp = app
}
