/**
 * Rate limits per minute, in this process: n processes on one database allow n times as much. No caller can use up what others need:
 *
 * - An address has a limit that is checked before its app is read. A request without a known app counts like many.
 * - An app has its own limit or the operator's default; every response states it. App ids are public, so one network must not use the limit up: beyond it,
 *   networks that used less than an equal share are still served, up to twice the limit in all. A list counts by the length of its page.
 * - An address has a limit for one order, checked before the app's, so that a client that polls one order does not use up the app's limit.
 * - Reading an order by its id counts only there, so that a used-up app limit does not keep users from their orders. Ids cannot be guessed, and an id that
 *   does not exist counts like many.
 * - An order token has a limit. A PATCH with a token does not count for the app, so that users get their refund when the app's limit is used up.
 */
import { createHash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { App } from '@tandem/party/store/apps/apps.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { customerOf, networkOf } from '../caller-network.ts'
import type { ServiceContext } from '../context.ts'

const WINDOW_MS = 60_000

/** A request without a known app costs its address this much, because each may be a query. */
const UNKNOWN_APP_WEIGHT = 50
/** A PATCH with a token costs its address this much, because anyone can invent tokens. */
const TOKEN_WEIGHT = 10
const TOKEN_CALLS = 60
/** Documents are long, and many files of pages are requested at once. */
const WEIGHTS = { document: 10, file: 1 } as const
/** Reading an order that does not exist costs its address this much. */
const UNKNOWN_ORDER_WEIGHT = 10
const ORDER_ROUTE = '/v2/orders/:order_id'

/** This bounds the memory that strangers can make the process use. The oldest window is evicted first. */
const MAX_WINDOWS = 100_000

/** The IETF draft "RateLimit header fields for HTTP" defines these headers. CORS exposes them to scripts. */
export const rateLimitHeaders = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'] as const

type Window = {
  readonly endsAt: number
  calls: number
  /** The key is a network; the value is how much it used of the app's window. */
  readonly parts: Map<string, number>
}

const MAX_PARTS = 10_000

function createWindows() {
  const windows = new Map<string, Window>()

  /** This returns a new window if the last one of the key has ended. */
  function at(key: string, now: number): Window {
    const open = windows.get(key)
    if (open !== undefined && now < open.endsAt) return open
    const window = { endsAt: now + WINDOW_MS, calls: 0, parts: new Map<string, number>() }
    windows.delete(key)
    windows.set(key, window)
    const oldest = windows.keys().next().value
    if (windows.size > MAX_WINDOWS && oldest !== undefined) windows.delete(oldest)
    return window
  }

  return {
    at,
    /** `seconds` is the time until the window ends. */
    count(key: string, weight = 1): { readonly calls: number; readonly seconds: number } {
      const now = performance.now()
      const window = at(key, now)
      window.calls += weight
      return { calls: window.calls, seconds: secondsLeft(window, now) }
    },
  }
}

function secondsLeft({ endsAt }: Window, now: number): number {
  return Math.ceil((endsAt - now) / 1000)
}

type RateLimitLeft = Readonly<Record<'ratelimit-limit' | 'ratelimit-remaining' | 'ratelimit-reset', number>>

export interface RateLimit {
  /** `authenticate` runs after the limit of the address and before that of the app. */
  addHooks(api: FastifyInstance, authenticate: onRequestHookHandler): void
  /** Routes that need no app have only the limit of the address. */
  ofAddress(what: keyof typeof WEIGHTS): onRequestHookHandler
}

export function createRateLimit({ settings }: ServiceContext): RateLimit {
  // Strangers name addresses and orders, so these windows must not evict those of apps.
  const [ofAddresses, ofOrders, ofApps] = [createWindows(), createWindows(), createWindows()]
  const { rateLimitPerMinute, addressLimitPerMinute, orderLimitPerMinute } = settings

  const limitOf = (app: App) => app.rateLimitPerMinute ?? rateLimitPerMinute

  function countAddress({ ip }: FastifyRequest, weight: number): void {
    const { calls, seconds } = ofAddresses.count(customerOf(ip), weight)
    if (calls > addressLimitPerMinute) throw tooMany(`your address sends more than ${addressLimitPerMinute} requests in a minute`, seconds)
  }

  function countOrder({ params, ip, callingApp }: FastifyRequest): RateLimitLeft | null {
    const { order_id: order } = params as { readonly order_id?: string }
    if (order === undefined) return null
    const { calls, seconds } = ofOrders.count(`${callingApp.name} ${customerOf(ip)} ${order.slice(0, 80)}`)
    if (calls > orderLimitPerMinute) throw tooMany(`more than ${orderLimitPerMinute} requests in a minute for this order`, seconds)
    return leftOf(orderLimitPerMinute, calls, seconds)
  }

  function countApp(request: FastifyRequest, reply: FastifyReply): void {
    const { callingApp, ip, cost } = request
    const limit = limitOf(callingApp)
    const now = performance.now()
    const window = ofApps.at(callingApp.name, now)
    // A list longer than the limit of its app is served if nothing else was.
    const isWithin = takePart(window, limit, ip, Math.min(cost, limit))
    const seconds = secondsLeft(window, now)
    void reply.headers(leftOf(limit, window.calls, seconds))
    if (!isWithin) throw tooMany(`more than ${limit} requests in a minute`, seconds)
  }

  /** One token stands for one order. */
  function countToken(token: string, request: FastifyRequest, reply: FastifyReply): void {
    countAddress(request, TOKEN_WEIGHT)
    const { calls, seconds } = ofOrders.count(`token ${createHash('sha256').update(token).digest('base64')}`)
    void reply.headers(leftOf(TOKEN_CALLS, calls, seconds))
    if (calls > TOKEN_CALLS) throw tooMany(`more than ${TOKEN_CALLS} requests in a minute with this order token`, seconds)
  }

  function addHooks(api: FastifyInstance, authenticate: onRequestHookHandler): void {
    api.addHook('onRequest', (request, _reply, done) =>
      attempt(done, () => countAddress(request, Math.min(request.cost, addressLimitPerMinute))),
    )
    api.addHook('onRequest', authenticate)
    api.addHook('onRequest', (request, reply, done) =>
      attempt(done, () => {
        // The token of a PATCH may be in the body, which is not read yet.
        if (request.method === 'PATCH') return
        const left = countOrder(request)
        if (left !== null && request.routeOptions.url === ORDER_ROUTE) void reply.headers(left)
        else countApp(request, reply)
      }),
    )
    api.addHook('preHandler', (request, reply, done) =>
      attempt(done, () => {
        if (request.method !== 'PATCH') return
        const token = tokenOf(request)
        if (token !== null) {
          countToken(token, request, reply)
          return
        }
        countOrder(request)
        countApp(request, reply)
      }),
    )
    api.addHook('onError', (request, _reply, error, done) => {
      // Once the limit is reached, further requests are refused before the query.
      const weight = error instanceof TandemError ? weightOf(error, request) : 0
      if (weight > 0) ofAddresses.count(customerOf(request.ip), weight)
      done()
    })
  }

  return {
    addHooks,
    ofAddress: (what) => (request, _reply, done) => attempt(done, () => countAddress(request, WEIGHTS[what])),
  }
}

/**
 * Counts a request for the limit of its app. If it is over the limit, this returns false and counts nothing. Beyond the limit, only
 * networks that stay within an equal share are served, so the total is at most twice the limit.
 */
function takePart(window: Window, limit: number, ip: string, cost: number): boolean {
  const network = networkOf(ip)
  const known = window.parts.get(network)
  const part = known ?? 0
  if (window.calls + cost > limit) {
    const networks = window.parts.size + (known === undefined ? 1 : 0)
    if (networks < 2 || (part + cost) * networks > limit) return false
  }
  if (known === undefined && window.parts.size >= MAX_PARTS) return window.calls + cost <= limit
  window.parts.set(network, part + cost)
  window.calls += cost
  return true
}

/** This is the extra cost of a refused request for its address. */
function weightOf({ code }: TandemError, { routeOptions }: FastifyRequest): number {
  if (code === 'unauthorized') return UNKNOWN_APP_WEIGHT
  return code === 'not_found' && routeOptions.url === ORDER_ROUTE ? UNKNOWN_ORDER_WEIGHT : 0
}

function attempt(done: (error?: Error) => void, work: () => void): void {
  try {
    work()
  } catch (error) {
    done(error as Error)
    return
  }
  done()
}

function tokenOf({ headers, body }: FastifyRequest): string | null {
  const given = headers['order-token'] ?? (typeof body === 'object' && body !== null && 'order_token' in body ? body.order_token : null)
  return typeof given === 'string' && given !== '' ? given : null
}

function tooMany(what: string, seconds: number): TandemError {
  return new TandemError('rate_limited', `${what}: try again in ${seconds} seconds`, { retryAfterSeconds: seconds })
}

function leftOf(limit: number, calls: number, seconds: number): RateLimitLeft {
  return { 'ratelimit-limit': limit, 'ratelimit-remaining': Math.max(0, limit - calls), 'ratelimit-reset': seconds }
}
