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
import { gasOffered } from '../destination-gas/destination-gas.ts'
import { type Claims, noClaims } from '../earnings/claims.ts'
import { createEventStreams } from '../events/event-streams.ts'
import type { EventStreams } from '../events/stream-request.ts'
import { createOperatorHalts } from '../operator/halts.ts'
import type { OperatorParts } from '../operator/overview.ts'
import { operatorRoutes } from '../operator/routes.ts'
import { createRecipients } from '../orders/recipients.ts'
import { createQuoteIds, type QuoteIds } from '../quotes/quote-ids.ts'
import { createRecentAuctions, type RecentAuctions } from '../quotes/recent-auctions.ts'
import { createRelayFunds } from '../relay-funds.ts'
import { createSignatureOffers } from '../signature-offers.ts'
import { createSolverPool, type SolverPool } from '../solvers/pool.ts'
import { createSolverKeys, type SolverKeys } from '../solvers/solver-keys.ts'
import { createSolverRequests, type SolverRequests } from '../solvers/solver-requests.ts'
import { sendMissing, wantsPage } from '../web/missing-page.ts'
import { createPageFiles } from '../web/page-files.ts'
import { referenceRoutes } from '../web/reference-routes.ts'
import { webRoutes } from '../web/web-routes.ts'
import { apiRoutes } from './api-routes.ts'
import { createAuthentication } from './auth.ts'
import { compressLists } from './compression.ts'
import { closeSilentConnections, limitTime } from './connections.ts'
import { allowOrigins } from './cors.ts'
import { answerBrokenRequest, createErrorAnswer, createUnknownRouteAnswer, parseJsonBodies, refuseWithoutHost } from './errors.ts'
import { createCallerCosts } from './load/caller-costs.ts'
import { type Load, type LoadLevel, type LoadMonitor, startLoadMonitor } from './load/load-monitor.ts'
import { describeLoad, shedLoad } from './load/shedding.ts'
import { createRateLimit } from './rate-limit.ts'
import { iconRoutes } from './routes/catalog.ts'
import { compileValidator } from './validation.ts'

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
  | 'solverRequests'
  | 'signatureOffers'
  | 'claims'
  | 'recentAuctions'
  | 'quoteIds'
  | 'events'
  | 'engineProblem'
> & {
  readonly engineProblem?: ServiceContext['engineProblem']
  readonly pool?: SolverPool
  readonly solverKeys?: SolverKeys
  /** Without this no signature of a solver is accepted. */
  readonly solverRequests?: SolverRequests
  readonly recentAuctions?: RecentAuctions
  readonly quoteIds?: QuoteIds
  readonly claims?: Claims
  /** Without this the streams get no wake-ups and only poll. */
  readonly events?: EventStreams
  readonly operator?: OperatorParts
  readonly load?: LoadMonitor
  readonly settings: ServiceOptions
}

/** The time that a client has to send one request. */
const REQUEST_TIMEOUT_MS = 30_000
/** The time limit of an answer must be longer than any wait of a handler. */
const TIME_LIMIT = { limitMs: 60_000, pollMs: 5_000 } as const

export function createApi(dependencies: ApiDependencies): FastifyInstance {
  const settings = completeSettings(dependencies.settings)
  const { db, solvers, log, operator } = dependencies
  const load = dependencies.load ?? startLoadMonitor({ onChange: (level, measured) => logLevel(log, level, measured) })
  const context: ServiceContext = {
    pool: createSolverPool({ solvers, log, readSettled: () => countSettledOrders(db) }),
    solverKeys: createSolverKeys(dependencies),
    solverRequests: createSolverRequests([], ''),
    recentAuctions: createRecentAuctions(),
    quoteIds: createQuoteIds(),
    claims: noClaims,
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
    relayFunds: createRelayFunds({
      ...dependencies,
      relay: dependencies.operator?.relay ?? null,
      gasOf: (chain) => gasOffered({ ...dependencies, settings }, chain)?.amount ?? 0n,
    }),
    signatureOffers: createSignatureOffers(dependencies),
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
    // `refuseWithoutHost` answers a request without a Host header with the envelope; Node would send an empty body. Node looks for slow
    // requests at this interval; its default adds 30 s.
    http: { requireHostHeader: false, connectionsCheckingInterval: TIME_LIMIT.pollMs },
    // Requests on open connections still get the envelope while the server closes.
    return503OnClosing: false,
    routerOptions: { ignoreDuplicateSlashes: true },
    frameworkErrors: answerError,
    clientErrorHandler: answerBrokenRequest,
  })
  // An unknown expectation may be ignored (RFC 9110 section 10.1.1). Node itself would answer it without a body.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response))
  server.setValidatorCompiler(compileValidator)
  // Responses are built field by field and checked against their schemas in tests; JSON.stringify is the fastest serialiser for them.
  server.setSerializerCompiler(() => JSON.stringify)
  server.setErrorHandler(answerError)
  const pageFiles = createPageFiles(context.log)
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
    // Without this header, a client that keeps its connection open would keep a closing server open.
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

  void server.register(apiRoutes(context, closing.signal, (v2) => rateLimit.addHooks(v2, authenticate)))
  void server.register(referenceRoutes(context, pageFiles, rateLimit))
  void server.register(webRoutes(context, pageFiles, rateLimit))
  void server.register(iconRoutes(context))
  return server.withTypeProvider<TypeBoxTypeProvider>()
}

function logLevel(log: Logger, level: LoadLevel, { delayMs, inFlight }: Load): void {
  const measured = { delayMs: Math.round(delayMs), inFlight }
  if (level === 0) log.info(measured, 'not busy any more: everything is served')
  else
    log.warn(
      measured,
      level === 1
        ? 'busy: refusing lists, streams and pages, and the networks that cause the load'
        : 'busy: refusing everything except requests about one order',
    )
}
