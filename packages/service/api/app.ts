/** The HTTP server of the service: authentication, limits, errors, documents, and the routes. */
import { randomUUID } from 'node:crypto'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { createFailedPayouts } from '@tandem/party/engine/failed-payouts.ts'
import { createSigningLimit } from '@tandem/party/engine/signing-limit.ts'
import { createLiveActions } from '@tandem/party/store/actions/live-actions.ts'
import { createDatabaseCheck } from '@tandem/party/store/database/database-problem.ts'
import { countSettledOrders } from '@tandem/party/store/order-list/settled-orders.ts'
import { createOrderReader } from '@tandem/party/store/orders/order-reader.ts'
import { createOrderWriter } from '@tandem/party/store/orders/order-writer.ts'
import { parsePolicy } from '@tandem/protocol/policy.ts'
import { assertStorable } from '@tandem/protocol/stored-text.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import { type FastifyInstance, fastify } from 'fastify'
import { completeSettings, type ServiceContext, type ServiceOptions } from '../context.ts'
import { type Claims, createClaims } from '../earnings/claims.ts'
import { createEventStreams } from '../events/event-streams.ts'
import type { EventStreams } from '../events/stream-request.ts'
import { createOperatorHalts } from '../operator/halts.ts'
import type { OperatorParts } from '../operator/parts.ts'
import { operatorRoutes } from '../operator/routes.ts'
import { createRecipients } from '../orders/recipients.ts'
import { createQuoteIds, type QuoteIds } from '../quotes/quote-ids.ts'
import { createRecentAuctions, type RecentAuctions } from '../quotes/recent-auctions.ts'
import { createRelayFunds } from '../relay-funds.ts'
import { createSolverPool, type SolverPool } from '../solvers/pool.ts'
import { createSolverKeys, type SolverKeys } from '../solvers/solver-keys.ts'
import { sendMissing, wantsPage } from '../web/missing-page.ts'
import { createPageFiles } from '../web/page-files.ts'
import { webRoutes } from '../web/web-routes.ts'
import { createAuthentication } from './auth.ts'
import { compressLists } from './compression.ts'
import { allowOrigins } from './cors.ts'
import { answerBrokenRequest, createErrorAnswer, parseJsonBodies, refuseWithoutHost } from './errors.ts'
import { createCallerCosts } from './load/caller-costs.ts'
import type { Load, LoadLevel } from './load/load-level.ts'
import { describeLoad } from './load/load-metrics.ts'
import { type LoadMonitor, startLoadMonitor } from './load/load-monitor.ts'
import { shedLoad } from './load/shedding.ts'
import { describeApi } from './openapi.ts'
import { createRateLimit } from './rate-limit.ts'
import { catalogRoutes, iconRoutes, policyRoutes } from './routes/catalog.ts'
import { docsRoutes } from './routes/docs.ts'
import { earningsRoutes } from './routes/earnings.ts'
import { eventRoutes } from './routes/events.ts'
import { healthRoutes } from './routes/health.ts'
import { orderListRoutes } from './routes/order-list.ts'
import { orderRoutes } from './routes/orders.ts'
import { quoteRoutes } from './routes/quote.ts'
import { schemaRoutes } from './routes/schemas.ts'
import { solverRoutes } from './routes/solvers.ts'
import { statisticsRoutes } from './routes/statistics.ts'
import { closeSilentConnections } from './silent-connections.ts'
import { limitTime } from './time-limit.ts'
import { createUnknownRouteAnswer } from './unknown-route.ts'
import { compileValidator, NoQuery } from './validation.ts'

export type ApiDependencies = Omit<
  ServiceContext,
  | 'settings'
  | 'policy'
  | 'orderReader'
  | 'readLiveAction'
  | 'orderWriter'
  | 'recipients'
  | 'failedPayouts'
  | 'signingLimit'
  | 'operatorHalts'
  | 'databaseProblem'
  | 'relayFunds'
  | 'pool'
  | 'solverKeys'
  | 'claims'
  | 'recentAuctions'
  | 'quoteIds'
  | 'events'
  | 'engineProblem'
> & {
  /** Unless given, the engine is in this process. */
  readonly engineProblem?: ServiceContext['engineProblem']
  /** Unless given, made from `solvers`. */
  readonly pool?: SolverPool
  /** Unless given, those of the orders that this process makes. */
  readonly solverKeys?: SolverKeys
  readonly recentAuctions?: RecentAuctions
  /** Unless given, only this process knows the ids of its quotes. */
  readonly quoteIds?: QuoteIds
  /** Unless given, no contract pays affiliates. */
  readonly claims?: Claims
  /** Unless given, nobody tells them of changes: they poll. */
  readonly events?: EventStreams
  /** Unless given, there is no operator page and there are no metrics. */
  readonly operator?: OperatorParts
  /** Unless given, that of this process. Stopped with the server. */
  readonly load?: LoadMonitor
  readonly settings: ServiceOptions
}

/** How long a client may take to send one request. */
const REQUEST_TIMEOUT_MS = 30_000
/** How long an answer may take. Must be longer than any wait of a handler. */
const TIME_LIMIT = { limitMs: 60_000, pollMs: 5_000 } as const

export function createApi(dependencies: ApiDependencies): FastifyInstance {
  const settings = completeSettings(dependencies.settings)
  const { db, solvers, log, operator } = dependencies
  const load = dependencies.load ?? startLoadMonitor({ onChange: (level, measured) => tellLevel(log, level, measured) })
  const context: ServiceContext = {
    pool: createSolverPool({ solvers, log, readSettled: () => countSettledOrders(db) }),
    solverKeys: createSolverKeys(dependencies),
    recentAuctions: createRecentAuctions(),
    quoteIds: createQuoteIds(),
    claims: createClaims(dependencies, null),
    events: createEventStreams({ ...dependencies, limits: settings.streamLimits }),
    engineProblem: () => null,
    ...dependencies,
    admits: (what) => load.level() < 2 && context.engineProblem() === null && dependencies.admits(what),
    policy: parsePolicy(settings.policy),
    orderReader: createOrderReader(db),
    readLiveAction: createLiveActions(db),
    signingLimit: createSigningLimit(db),
    operatorHalts: createOperatorHalts(db),
    databaseProblem: createDatabaseCheck(dependencies),
    relayFunds: createRelayFunds({ ...dependencies, relay: dependencies.operator?.relay ?? null }),
    orderWriter: createOrderWriter(db),
    recipients: createRecipients(),
    failedPayouts: createFailedPayouts(db),
    settings,
  }
  const [authenticate, rateLimit] = [createAuthentication(context), createRateLimit(context)]
  const closing = new AbortController()
  const costs = createCallerCosts()
  const answerError = createErrorAnswer(context.log)

  const server = fastify({
    bodyLimit: settings.bodyLimitBytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    genReqId: () => randomUUID(),
    trustProxy: [...settings.trustedProxies],
    // Node answers a request without a Host header with an empty body; we answer with the envelope.
    // It looks for requests that are too slow at this interval, by default after another 30 s.
    http: { requireHostHeader: false, connectionsCheckingInterval: TIME_LIMIT.pollMs },
    // While the server closes, requests on open connections still get the envelope.
    return503OnClosing: false,
    routerOptions: { ignoreDuplicateSlashes: true },
    frameworkErrors: answerError,
    clientErrorHandler: answerBrokenRequest,
  })
  // RFC 9110 section 10.1.1: an unknown expectation may be ignored; Node itself answers it without a body.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response))
  server.setValidatorCompiler(compileValidator)
  // Responses are built field by field and checked against their schemas in tests; JSON.stringify is the fastest serialiser for them.
  server.setSerializerCompiler(() => JSON.stringify)
  server.setErrorHandler(answerError)
  const pageFiles = createPageFiles()
  const limitFiles = rateLimit.ofAddress('file')
  server.setNotFoundHandler(
    {
      preHandler(request, reply, done) {
        if (wantsPage(request)) limitFiles.call(server, request, reply, done)
        else done()
      },
    },
    createUnknownRouteAnswer(server, (request, reply) => sendMissing(pageFiles, request, reply)),
  )
  parseJsonBodies(server)
  shedLoad(server, { load, costs, onRefused: operator === undefined ? () => undefined : describeLoad(operator.metrics.collectors, load) })
  allowOrigins(server, context)
  limitTime(server, TIME_LIMIT)
  closeSilentConnections(server)
  compressLists(server)
  describeApi(server, context)
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('request-id', request.id)
    done(refuseWithoutHost(request))
  })
  server.addHook('preValidation', (request, _reply, done) => {
    try {
      assertStorable([request.params, request.query, request.body])
    } catch (error) {
      done(error as Error)
      return
    }
    done()
  })
  server.addHook('onSend', (_request, reply, _payload, done) => {
    // Otherwise a client that keeps its connection open would keep a closing server open.
    if (closing.signal.aborted) reply.header('connection', 'close')
    done()
  })
  if (context.log.isLevelEnabled('debug')) {
    server.addHook('onResponse', (request, reply, done) => {
      const ms = Math.round(reply.elapsedTime)
      context.log.debug({ request: request.id, method: request.method, url: request.url, status: reply.statusCode, ms }, 'answered')
      done()
    })
  }
  if (operator !== undefined) {
    server.addHook('onResponse', (request, reply, done) => {
      operator.metrics.onAnswer(request.method, request.routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime / 1000)
      done()
    })
    void server.register(operatorRoutes(context, operator))
  }
  server.addHook('preClose', async () => {
    closing.abort()
    load.stop()
    await context.events.close()
  })

  void server.register(healthRoutes(context))
  void server.register(docsRoutes(context, pageFiles, rateLimit))
  void server.register(webRoutes(context, pageFiles, rateLimit))
  void server.register(iconRoutes(context))
  void server.register(
    async (v2) => {
      v2.decorateRequest('callingApp')
      v2.addHook('onRoute', (route) => {
        route.schema = { querystring: NoQuery, ...route.schema }
      })
      rateLimit.addHooks(v2, authenticate)
      const routes = [
        quoteRoutes(context),
        orderRoutes(context, closing.signal),
        orderListRoutes(context),
        eventRoutes(context),
        statisticsRoutes(context),
        catalogRoutes(context),
        schemaRoutes,
        solverRoutes(context),
        policyRoutes(context),
        earningsRoutes(context),
      ]
      for (const part of routes) void v2.register(part)
    },
    { prefix: '/v2' },
  )
  return server.withTypeProvider<TypeBoxTypeProvider>()
}

function tellLevel(log: Logger, level: LoadLevel, { delayMs, inFlight }: Load): void {
  const measured = { delayMs: Math.round(delayMs), inFlight }
  if (level === 0) log.info(measured, 'no longer busy: everything is served')
  else
    log.warn(
      measured,
      level === 1
        ? 'busy: refusing lists, streams and pages, and whoever causes the load'
        : 'busy: refusing all but requests about one order',
    )
}
