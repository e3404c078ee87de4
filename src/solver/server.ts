/** The solver's HTTP server, for services with its token. */
import { timingSafeEqual } from 'node:crypto'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { type FastifyError, type FastifyInstance, type onRequestHookHandler } from 'fastify'
import type { Logger } from 'pino'
import { Type } from 'typebox'
import type { ChainId } from '../protocol/chain-id.ts'
import { type ErrorCode, errorStatus, TandemError } from '../protocol/error.ts'
import {
  SolverChanges,
  SolverChangesAnswer,
  SolverChangesQuery,
  SolverChangesRequest,
  SolverCosign,
  SolverCosigned,
  SolverCosignRequest,
  SolverFill,
  SolverFillRequest,
  SolverHealth,
  SolverInstantRefund,
  SolverInstantRefundRequest,
  SolverLiquidity,
  SolverOrderAcceptance,
  SolverOrderRequest,
  SolverQuote,
  SolverQuoteRequest,
  type SolverRefusal,
} from '../protocol/wire/solver.ts'
import { draftCosigned, takeCosigned } from './batch-redeem/cosign.ts'
import type { Changes } from './changes.ts'
import { signInstantRefunds } from './instant-refund/sign-instant-refunds.ts'
import { acceptOrder, type OrderContext } from './orders.ts'
import { signFill } from './partial-deposits/sign-fill.ts'
import { quote } from './quotes.ts'

const RETRY_AFTER_SECONDS = 2

const OrderPath = Type.Object({ order_id: Type.String({ pattern: '^[0-9a-f]{64}$' }) })

export type SolverServerOptions = {
  readonly context: OrderContext
  readonly token: string
  readonly log: Logger
  readonly chainHealthy: (chain: ChainId) => boolean
  /** False while the solver is too busy with the orders that exist. */
  readonly admits: (what: 'quote' | 'order') => boolean
  readonly changes: Changes
  /** A service says that something has happened on this chain. */
  readonly onHint: (chain: ChainId) => void
  readonly toldOfBlocks: () => readonly ChainId[]
}

export function createSolverServer({
  context,
  token,
  log,
  chainHealthy,
  admits,
  changes,
  onHint,
  toldOfBlocks,
}: SolverServerOptions): FastifyInstance {
  // No type coercion: null is not 0, and a number is not an amount.
  const app = fastify({ bodyLimit: 512 * 1024, ajv: { customOptions: { coerceTypes: false } } }).withTypeProvider<TypeBoxTypeProvider>()
  const expected = Buffer.from(`Bearer ${token}`)

  app.setErrorHandler((error: FastifyError | TandemError, request, reply) => {
    const refusal = refuse(error)
    if (refusal.code === 'internal') log.error({ err: error, url: request.url }, 'a request failed unexpectedly')
    void reply.status(errorStatus[refusal.code as ErrorCode]).send(refusal)
  })

  app.addHook('onRequest', async (request) => {
    const given = Buffer.from(request.headers.authorization ?? '')
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new TandemError('unauthorized', 'unknown token')
  })

  /** Refuses new quotes and orders on a chain whose nodes do not answer, and of a pair that is halted. */
  const assertOpen = (from: string, to: string) => {
    const [source, destination] = [context.registry.asset(from), context.registry.asset(to)]
    for (const { chain } of [source, destination])
      if (!chainHealthy(chain)) throw new TandemError('chain_unavailable', `${chain} is not reachable`)
    context.risk.assertOpen(source.id, destination.id)
  }

  /** Orders that exist come first. Runs before the body is read. */
  const refuseWhenOverloaded =
    (what: 'quote' | 'order'): onRequestHookHandler =>
    (_request, _reply, done) => {
      if (admits(what)) {
        done()
        return
      }
      // A service asks nothing until the time that we name: name one only if we take nothing.
      const retry = admits('quote') ? {} : { retryAfterSeconds: RETRY_AFTER_SECONDS }
      done(new TandemError('chain_unavailable', 'the solver is busy with the swaps in progress', retry))
    }

  app.post(
    '/quote',
    { onRequest: refuseWhenOverloaded('quote'), schema: { body: SolverQuoteRequest, response: { 200: SolverQuote } } },
    async (request) => {
      if (!request.body.indicative) assertOpen(request.body.from, request.body.to)
      return quote(context, request.body)
    },
  )

  app.post(
    '/orders',
    { onRequest: refuseWhenOverloaded('order'), schema: { body: SolverOrderRequest, response: { 200: SolverOrderAcceptance } } },
    async (request) => {
      assertOpen(request.body.source.asset, request.body.destination.asset)
      return acceptOrder(context, request.body)
    },
  )

  app.post(
    '/orders/:order_id/fill',
    { schema: { params: OrderPath, body: SolverFillRequest, response: { 200: SolverFill } } },
    async (request) => signFill(context, request.params.order_id, request.body),
  )

  app.post('/cosign', { schema: { body: SolverCosignRequest, response: { 200: SolverCosign } } }, async (request) =>
    draftCosigned(context, request.body),
  )

  app.post('/cosign/complete', { schema: { body: SolverCosigned, response: { 200: SolverHealth } } }, async (request) => {
    await takeCosigned(context, request.body)
    return { solver_id: context.solverId }
  })

  app.post(
    '/orders/:order_id/instant-refund',
    { schema: { params: OrderPath, body: SolverInstantRefundRequest, response: { 200: SolverInstantRefund } } },
    async (request) => signInstantRefunds(context, request.params.order_id, request.body),
  )

  app.post('/changes', { schema: { body: SolverChangesRequest, response: { 200: SolverChangesAnswer } } }, async (request) => {
    const chains = [...new Set(request.body.chains)]
    for (const chain of chains) onHint(chain)
    const told = toldOfBlocks()
    return { solver_id: context.solverId, needless: chains.filter((chain) => told.includes(chain)) }
  })

  app.get('/changes', { schema: { querystring: SolverChangesQuery, response: { 200: SolverChanges } } }, async (request) => {
    const { next, chains } = await changes.since(Number(request.query.after), request.query.except?.split(','))
    return { solver_id: context.solverId, next, chains: [...chains] }
  })
  app.addHook('preClose', async () => changes.close())

  app.get('/liquidity', { schema: { response: { 200: SolverLiquidity } } }, async () => ({
    solver_id: context.solverId,
    holdings: (await context.inventory.list()).map(({ asset, address, balance, available }) => ({
      asset,
      address,
      balance: balance.toString(),
      available: available.toString(),
    })),
  }))

  app.get('/health', { schema: { response: { 200: SolverHealth } } }, async () => ({
    solver_id: context.solverId,
    overloaded: !admits('quote'),
  }))

  return app
}

function refuse(error: FastifyError | TandemError): SolverRefusal {
  if (error instanceof TandemError) {
    const { code, message, retryAfterSeconds } = error
    return { code, message, ...(retryAfterSeconds !== null && { retry_after: retryAfterSeconds }) }
  }
  if (error.statusCode !== undefined && error.statusCode < 500) return { code: 'bad_request', message: error.message }
  return { code: 'internal', message: "unexpected error; details are in the solver's log" }
}
