/**
 * A quote that is asked for again within a moment is answered from its text, before the framework: parsing, checking and writing it anew would cost
 * more than all else. App, rate limits and overload count as always; what is not a plain repeat goes the usual way.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { ServiceMetrics } from '../../metrics/service-metrics.ts'
import { createClientAddress } from '../caller-network.ts'
import type { ServiceContext } from '../context.ts'
import type { QuoteDesk } from '../quotes/quote.ts'
import { createSendWhole } from '../whole-answer.ts'
import type { Authentication } from './auth.ts'
import type { CallerCosts } from './load/caller-costs.ts'
import type { LoadMonitor } from './load/load-monitor.ts'
import { maySwap } from './load/shedding.ts'
import type { RateLimit } from './rate-limit.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

const ROUTE = '/v2/quote'
const PATH = `${ROUTE}?`

/** The query as the client wrote it. */
export function questionIn(url: string): string {
  return url.slice(url.indexOf('?') + 1)
}

export type RepeatedQuotes = Pick<ServiceContext, 'admits' | 'settings'> & {
  readonly desk: QuoteDesk
  readonly authentication: Authentication
  readonly rateLimit: RateLimit
  readonly load: LoadMonitor
  readonly costs: CallerCosts
  /** Aborted when the server closes. */
  readonly closing: AbortSignal
  readonly onAnswer?: ServiceMetrics['onAnswer']
}

/** Must be called before anything else listens to requests of the server. */
export function answerRepeatedQuotes({ server }: FastifyInstance, quotes: RepeatedQuotes): void {
  const { desk, authentication, rateLimit, admits, closing, settings, onAnswer, load, costs } = quotes
  const shedding = { load, costs }
  const addressOf = createClientAddress(settings.trustedProxies)
  const send = createSendWhole(server)
  const framework = server.listeners('request') as RequestListener[]

  function isAnswered(request: IncomingMessage, response: ServerResponse): boolean {
    const { method, url = '', headers } = request
    if (method !== 'GET' || !url.startsWith(PATH) || headers.host === undefined || closing.aborted) return false
    const startedMs = performance.now()
    const app = authentication.knownReader(headers)
    if (app === null) return false
    const answer = desk.recent(app, questionIn(url))
    if (answer === undefined || !admits('quote')) return false
    const ip = addressOf(request)
    if (!maySwap(shedding, ip)) return false
    const left = rateLimit.count(app, ip)
    if (left === null) return false
    costs.note(ip, 1)
    const written = [
      'request-id',
      randomUUID(),
      'ratelimit-limit',
      `${left['ratelimit-limit']}`,
      'ratelimit-remaining',
      `${left['ratelimit-remaining']}`,
      'ratelimit-reset',
      `${left['ratelimit-reset']}`,
      'content-type',
      JSON_TYPE,
      'content-length',
      answer.contentLength,
    ]
    send(response, written, answer)
    onAnswer?.(method, ROUTE, 200, (performance.now() - startedMs) / 1000)
    return true
  }

  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    if (!isAnswered(request, response)) for (const listener of framework) listener.call(server, request, response)
  })
}
