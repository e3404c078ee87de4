/** Runs the solver's HTTP server, for the services whose keys it knows. */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { databaseFault } from '@tandem/party/store/database/database-fault.ts'
import { createDatabaseCheck } from '@tandem/party/store/database/database-problem.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { type ErrorCode, errorStatus, QuoteUsed, TandemError } from '@tandem/protocol/error.ts'
import { listingOf } from '@tandem/protocol/registry/listing-digest.ts'
import { assertStorable } from '@tandem/protocol/stored-text.ts'
import type { SolverRefusal } from '@tandem/protocol/wire/solver.ts'
import { solverRoutes as routes } from '@tandem/protocol/wire/solver-routes.ts'
import fastify, { type FastifyError, type FastifyInstance, type onRequestHookHandler } from 'fastify'
import type { Logger } from 'pino'
import { type Authentication, authenticate } from './authenticate.ts'
import { draftCosigned, takeCosigned } from './batch-redeem/cosign.ts'
import type { Changes } from './changes.ts'
import { signInstantRefunds } from './instant-refund/sign-instant-refunds.ts'
import { acceptOrder, type OrderContext } from './orders.ts'
import { signFill } from './partial-deposits/sign-fill.ts'
import { quote } from './quotes.ts'

/** A service should wait this long after a refusal because of load, or because the database cannot be written. */
const RETRY_AFTER_SECONDS = 2

export type SolverServerOptions = {
  readonly context: OrderContext
  readonly authentication: Authentication
  readonly log: Logger
  readonly chainHealthy: (chain: ChainId) => boolean
  readonly admits: (what: 'quote' | 'order') => boolean
  readonly changes: Changes
  /** A service reported that something has happened on this chain. */
  readonly onHint: (chain: ChainId) => void
  readonly announcedChains: () => readonly ChainId[]
}

export function createSolverServer({
  context,
  authentication,
  log,
  chainHealthy,
  admits,
  changes,
  onHint,
  announcedChains,
}: SolverServerOptions): FastifyInstance {
  // Types are not coerced: null is not 0, and a number is not an amount.
  const app = fastify({ bodyLimit: 512 * 1024, ajv: { customOptions: { coerceTypes: false } } }).withTypeProvider<TypeBoxTypeProvider>()

  const gate = { admits, databaseProblem: createDatabaseCheck({ db: context.db, log }) }

  app.setErrorHandler((error: FastifyError | TandemError, request, reply) => {
    const fault = databaseFault(error)
    const refusal = refuse(fault === null ? error : databaseRefusal(fault))
    if (refusal.code === 'internal') log.error({ err: error, url: request.url }, 'a request failed unexpectedly')
    else if (fault !== null) log.warn({ url: request.url, reason: fault }, 'a request failed because of the database')
    void reply.status(errorStatus[refusal.code as ErrorCode]).send(refusal)
  })

  app.setNotFoundHandler((request) => {
    throw new TandemError('not_found', `${request.method} ${request.url.slice(0, 200)} is not part of this protocol: paths begin with /v1/`)
  })

  authenticate(app, authentication)

  /** Refuses new quotes and orders if the nodes of a chain do not answer, or if the pair is halted. */
  const assertOpen = (from: string, to: string) => {
    const [source, destination] = [context.registry.asset(from), context.registry.asset(to)]
    for (const { chain } of [source, destination])
      if (!chainHealthy(chain)) throw new TandemError('chain_unavailable', `${chain} is not reachable`)
    context.risk.assertOpen(source.id, destination.id)
  }

  app.post(
    routes.quote.path,
    { onRequest: refuseWhenOverloaded(gate, 'quote'), schema: { body: routes.quote.body, response: { 200: routes.quote.answer } } },
    async (request) => {
      if (!request.body.indicative) assertOpen(request.body.from, request.body.to)
      return quote(context, request.body, request.caller)
    },
  )

  app.post(
    routes.order.path,
    { onRequest: refuseWhenOverloaded(gate, 'order'), schema: { body: routes.order.body, response: { 200: routes.order.answer } } },
    async (request) => {
      const { order_id: order, source, destination } = request.body
      try {
        assertOpen(source.asset, destination.asset)
        const acceptance = await acceptOrder(context, request.body, request.caller)
        log.info({ order, from: source.asset, to: destination.asset }, 'order accepted')
        return acceptance
      } catch (error) {
        if (error instanceof TandemError)
          log.info({ order, from: source.asset, to: destination.asset, why: error.message }, 'order declined')
        throw error
      }
    },
  )

  app.post(
    routes.fill.path,
    { schema: { params: routes.fill.params, body: routes.fill.body, response: { 200: routes.fill.answer } } },
    async (request) => signFill(context, request.params.order_id, request.body, request.caller),
  )

  app.post(routes.cosign.path, { schema: { body: routes.cosign.body, response: { 200: routes.cosign.answer } } }, async (request) =>
    draftCosigned(context, request.body, request.caller),
  )

  app.post(routes.cosigned.path, { schema: { body: routes.cosigned.body, response: { 200: routes.cosigned.answer } } }, async (request) => {
    await takeCosigned(context, request.body, request.caller)
    return { solver_id: context.solverId }
  })

  app.post(
    routes.instantRefund.path,
    { schema: { params: routes.instantRefund.params, body: routes.instantRefund.body, response: { 200: routes.instantRefund.answer } } },
    async (request) => signInstantRefunds(context, request.params.order_id, request.body, request.caller),
  )

  app.post(
    routes.tellChanges.path,
    { schema: { body: routes.tellChanges.body, response: { 200: routes.tellChanges.answer } } },
    async (request) => {
      const chains = [...new Set(request.body.chains)]
      for (const chain of chains) onHint(chain)
      const announced = announcedChains()
      return { solver_id: context.solverId, needless: chains.filter((chain) => announced.includes(chain)) }
    },
  )

  app.get(
    routes.changes.path,
    { schema: { querystring: routes.changes.query, response: { 200: routes.changes.answer } } },
    async (request) => {
      const { after, except } = request.query
      const { next, chains } = await changes.since(Number(after), request.caller.service, except?.split(','))
      return { solver_id: context.solverId, next, chains: [...chains] }
    },
  )
  app.addHook('preValidation', async (request) => assertStorable([request.params, request.query, request.body]))
  app.addHook('preClose', async () => changes.close())

  app.get(routes.liquidity.path, { schema: { response: { 200: routes.liquidity.answer } } }, async () => ({
    solver_id: context.solverId,
    holdings: (await context.inventory.list()).map(({ asset, address, balance, available }) => ({
      asset,
      address,
      balance: balance.toString(),
      available: available.toString(),
      listing: listingOf(context.registry, asset),
    })),
  }))

  app.get(routes.health.path, { schema: { response: { 200: routes.health.answer } } }, async () => {
    const problem = await gate.databaseProblem()
    const overloaded = problem !== null || !admits('quote')
    return { solver_id: context.solverId, overloaded, ...(problem !== null && { problem }), keys: publicKeysOf(context) }
  })

  return app
}

function publicKeysOf({ clients, keys }: OrderContext): Record<string, string> {
  const withKeys = [...clients.values()].filter(({ orderKeys }) => orderKeys !== undefined)
  return Object.fromEntries(withKeys.map((client) => [client.chain.id, client.identityOf(keys.of(client))]))
}

function refuse(error: FastifyError | TandemError): SolverRefusal {
  // The code is not `price_moved`: orders with a used quote must not make the solver look as if it broke a quote.
  if (error instanceof QuoteUsed) return { code: 'conflict', message: error.message, price_now: error.priceNow }
  if (error instanceof TandemError) {
    const { code, message, retryAfterSeconds } = error
    return { code, message, ...(retryAfterSeconds !== null && { retry_after: retryAfterSeconds }) }
  }
  if (error.statusCode !== undefined && error.statusCode < 500) return { code: 'bad_request', message: error.message }
  return { code: 'internal', message: "unexpected error; details are in the solver's log" }
}

type Gate = {
  /** It returns false while the solver is too busy with existing orders. */
  readonly admits: (what: 'quote' | 'order') => boolean
  readonly databaseProblem: () => Promise<string | null>
}

/** The hook runs before the body is read. */
function refuseWhenOverloaded({ admits, databaseProblem }: Gate, what: 'quote' | 'order'): onRequestHookHandler {
  return (_request, _reply, done) => {
    if (admits(what)) {
      done()
      return
    }
    // If the database refuses writes, the swaps in progress wait too, but the reason is not load.
    databaseProblem().then((problem) => done(problem === null ? busy(admits('quote')) : databaseRefusal(problem)), done)
  }
}

function busy(takesQuotes: boolean): TandemError {
  // A service sends nothing until `retryAfterSeconds`, so it is given only if the solver takes no quotes either.
  const retry = takesQuotes ? {} : { retryAfterSeconds: RETRY_AFTER_SECONDS }
  return new TandemError('chain_unavailable', 'the solver is busy with the swaps in progress', retry)
}

/** A service relays this text to its users, so the text says whose problem it is. */
function databaseRefusal(problem: string): TandemError {
  return new TandemError('chain_unavailable', `the solver cannot work: ${problem}`, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}
