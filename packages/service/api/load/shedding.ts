/**
 * Refuses requests while this process is busy: first lists, streams, pages and all requests of the network that causes the load, then what would start a new
 * swap. Redeems, refunds and reads of one order are never refused. The decision comes before the body is read and before any query.
 */

import type { Collectors } from '@tandem/party/metrics/collectors.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify'
import type { CallerCosts } from './caller-costs.ts'
import type { LoadMonitor } from './load-monitor.ts'

export type Sheddable = 'new swaps' | 'other requests'

const levels = {
  'new swaps': { from: 2, seconds: 2, text: 'no new swap starts now' },
  'other requests': { from: 1, seconds: 5, text: 'only quotes, new orders and requests about one order are answered now' },
} as const satisfies Record<Sheddable, { readonly from: 1 | 2; readonly seconds: number; readonly text: string }>

const HEAVY = { seconds: 10, text: 'your network asks for far more than others do, and is not served now' } as const

const NEW_SWAPS = ['GET /v2/quote', 'POST /v2/orders']
/** These are routes about one order, health, the operator's pages, and the page that finishes swaps by itself. */
const ALWAYS_SERVED = ['/v2/orders/:order_id', '/livez', '/readyz', '/metrics', '/operator', '/rescue', '/assets/:file', '/web.json']
/** Streams live long and have limits of their own. A client without a stream can read the order. */
const STREAMS = ['/v2/orders/:order_id/events', '/v2/events']

/** Returns null for a request that is never refused. `route` is the pattern of the route; it is undefined for an unknown path. */
function sheddableAs(method: string, route: string | undefined): Sheddable | null {
  // A preflight is cheap, and a web page could not read its refusal.
  if (method === 'OPTIONS') return null
  if (route === undefined || STREAMS.includes(route)) return 'other requests'
  if (NEW_SWAPS.includes(`${method === 'HEAD' ? 'GET' : method} ${route}`)) return 'new swaps'
  return ALWAYS_SERVED.some((prefix) => route === prefix || route.startsWith(`${prefix}/`)) ? null : 'other requests'
}

export type Shedding = {
  readonly load: LoadMonitor
  readonly costs: CallerCosts
  readonly onRefused: (what: Sheddable) => void
}

/** Returns null if a request of this kind from this IP address is served now. */
function whyRefused({ load, costs }: Pick<Shedding, 'load' | 'costs'>, what: Sheddable, ip: string) {
  const level = load.level()
  if (level === 0) return null
  if (level >= levels[what].from) return levels[what]
  return costs.isHeavy(ip) ? HEAVY : null
}

/** The hook that this adds must be the first. */
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
      // Any web page may read the refusal: the text says nothing about anyone, and only the database knows which pages may call.
      if (request.headers.origin !== undefined)
        void reply.headers({ 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after, request-id' })
      done(new TandemError('chain_unavailable', `busy: ${text}; try again in ${seconds} seconds`, { retryAfterSeconds: seconds }))
      return
    }
    // A refused request costs next to nothing and is not counted.
    costs.add(request.ip, request.cost)
    done()
  })
  countInProgress(server, load)
}

/**
 * A request counts from the arrival of its whole body until its answer is made. The time in which a client sends the body or reads the answer does not count:
 * clients that are slow on purpose cost nothing and must not make this process look busy.
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
      // The event `close` also comes when the client hangs up.
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

/** A list of this many orders takes as long as one usual request. */
const ORDERS_PER_UNIT = 10
const MAX_PER_PAGE = 500

/** A list is charged by the requested length of its page, because the actual length is known only after the work. */
function costOf(config: FastifyContextConfig, query: unknown): number {
  if (config.isList !== true) return 1
  const { per_page: asked } = query as { readonly per_page?: unknown }
  const perPage = Number(asked)
  return perPage > ORDERS_PER_UNIT ? Math.ceil(Math.min(perPage, MAX_PER_PAGE) / ORDERS_PER_UNIT) : 1
}

declare module 'fastify' {
  interface FastifyRequest {
    cost: number
  }
  interface FastifyContextConfig {
    /** A list's answer has as many entries as the `per_page` of the query. */
    isList?: boolean
  }
}

/** The returned function must be called for each refusal. */
export function describeLoad({ counter, gauge }: Collectors, load: LoadMonitor): (what: Sheddable) => void {
  const refused: Record<Sheddable, number> = { 'new swaps': 0, 'other requests': 0 }
  counter({
    name: 'tandem_shed_requests_total',
    help: 'Requests that were refused because this process was busy',
    labels: ['what'],
    read: () => Object.entries(refused).map(([what, value]) => ({ labels: { what }, value })),
  })
  gauge({
    name: 'tandem_load_level',
    help: '0: everything is served; 1: lists, streams, pages and the networks that cause the load are refused; 2: only requests about one order are served',
    read: () => [{ value: load.level() }],
  })
  return (what) => {
    refused[what] += 1
  }
}
