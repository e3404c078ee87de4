/**
 * Refuses requests while this process is busy: first lists, streams and pages, and everything to who causes the load; then what would start a new swap. Redeems, refunds and
 * reads of one order are never refused, so they do not wait behind the rest. Decided before anything is read, parsed or asked of the database.
 */

import { TandemError } from '@tandem/protocol/error.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { costOf } from '../costs.ts'
import type { CallerCosts } from './caller-costs.ts'
import type { LoadMonitor } from './load-monitor.ts'

export type Sheddable = 'new swaps' | 'other requests'

const levels = {
  'new swaps': { from: 2, seconds: 2, text: 'no new swap starts now' },
  'other requests': { from: 1, seconds: 5, text: 'only quotes, new orders and requests about one order are answered now' },
} as const satisfies Record<Sheddable, { readonly from: 1 | 2; readonly seconds: number; readonly text: string }>

const HEAVY = { seconds: 10, text: 'your network asks for far more than others do, and is not served now' } as const

const NEW_SWAPS = ['GET /v2/quote', 'POST /v2/orders']
/** One order, health, what the operator looks at, and the page that finishes swaps by itself. */
const ALWAYS = ['/v2/orders/:order_id', '/livez', '/readyz', '/metrics', '/operator', '/rescue', '/assets/:file', '/web.json']
/** Long-lived, with limits of their own; a client without a stream reads the order. */
const STREAMS = ['/v2/orders/:order_id/events', '/v2/events']

/** Null: never refused. `route`: its pattern; undefined: there is none. */
function sheddableAs(method: string, route: string | undefined): Sheddable | null {
  // Cheap, and a web page could not read a refusal of it.
  if (method === 'OPTIONS') return null
  if (route === undefined || STREAMS.includes(route)) return 'other requests'
  if (NEW_SWAPS.includes(`${method === 'HEAD' ? 'GET' : method} ${route}`)) return 'new swaps'
  return ALWAYS.some((prefix) => route === prefix || route.startsWith(`${prefix}/`)) ? null : 'other requests'
}

export type Shedding = {
  readonly load: LoadMonitor
  readonly costs: CallerCosts
  /** For the metrics. */
  readonly onRefused: (what: Sheddable) => void
}

/** Why such a request from this IP address is refused now. */
function whyRefused({ load, costs }: Pick<Shedding, 'load' | 'costs'>, what: Sheddable, ip: string) {
  const level = load.level()
  if (level === 0) return null
  if (level >= levels[what].from) return levels[what]
  return costs.isHeavy(ip) ? HEAVY : null
}

/** Must be called before any other hook. */
export function shedLoad(server: FastifyInstance, shedding: Shedding): void {
  const { load, costs, onRefused } = shedding
  server.decorateRequest('cost', 1)
  server.addHook('onRequest', (request, reply, done) => {
    const { url, config } = request.routeOptions
    request.cost = costOf(config, request.query)
    const what = sheddableAs(request.method, url)
    if (what === null) {
      done()
      return
    }
    const why = whyRefused(shedding, what, request.ip)
    if (why !== null) {
      const { seconds, text } = why
      onRefused(what)
      // Any web page may read it: it says nothing about anyone. Which pages may call is known only by the database.
      if (request.headers.origin !== undefined)
        void reply.headers({ 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after, request-id' })
      done(new TandemError('chain_unavailable', `busy: ${text}; try again in ${seconds} seconds`, { retryAfterSeconds: seconds }))
      return
    }
    // What is refused costs next to nothing.
    costs.note(request.ip, request.cost)
    done()
  })
  countInProgress(server, load)
}

/**
 * A request counts from when it has arrived until its answer is made. Not while its body comes or its answer is read: clients that are slow on purpose cost
 * nothing, and would make this process look busy.
 */
function countInProgress(server: FastifyInstance, load: LoadMonitor): void {
  const ends = new WeakMap<FastifyRequest, () => void>()
  const end = (request: FastifyRequest) => {
    ends.get(request)?.()
    ends.delete(request)
  }
  server.addHook('preValidation', (request, reply, done) => {
    if (sheddableAs(request.method, request.routeOptions.url) !== null && !isStream(request)) {
      ends.set(request, load.begin())
      // It comes also when the client hangs up.
      reply.raw.once('close', () => end(request))
    }
    done()
  })
  server.addHook('onSend', (request, _reply, _payload, done) => {
    end(request)
    done()
  })
}

const isStream = ({ routeOptions: { url } }: FastifyRequest) => url !== undefined && STREAMS.includes(url)
