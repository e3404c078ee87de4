/** The routes /operator/api serve the operator page: figures, halts and resumes. /metrics has the same figures for Prometheus. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { METRICS_TYPE } from '@tandem/party/metrics/metrics-server.ts'
import { readStepTimes, readVolumes } from '@tandem/party/store/operator-view/activity.ts'
import { PERIOD_SECONDS } from '@tandem/party/store/order-list/order-counts.ts'
import { formatUsd } from '@tandem/protocol/amount.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { success } from '@tandem/protocol/wire/envelope.ts'
import type { ActivityRecord, OperatorSessionRecord, OrderRowsRecord, ProblemRecord } from '@tandem/protocol/wire/operator.ts'
import { createTtlCache } from '@tandem/runtime/ttl-cache.ts'
import { Type } from 'typebox'
import { NoQuery } from '../api/validation.ts'
import type { ServiceContext } from '../context.ts'
import { createSolverStatus } from '../solver-status.ts'
import { assertMayWrite, type CallingOperator, createOperatorAuthentication, csrfTokenOf, requireOperator } from './authentication.ts'
import { describeFigures } from './figures.ts'
import { EVERYTHING } from './halts.ts'
import { createMoneyReader } from './money.ts'
import { describeOrderPage } from './order-page.ts'
import { createInProgressReader, MAX_ROWS, searchForOperator } from './order-rows.ts'
import { createOrderFigures, createOverviewReader, type OperatorParts } from './overview.ts'

/** This is two weeks in periods of six hours. */
const PERIODS = 56
const ACTIVITY_CACHE_MS = 10_000

const hidden = { hide: true } as const

const LoginBody = Type.Object({
  token: Type.String({ maxLength: 200, writeOnly: true, description: 'a token from `tandem operator token NAME`' }),
})
const Scope = Type.String({ minLength: 1, maxLength: 100, description: 'a chain of this service, or * for everything' })
const HaltBody = Type.Object({ scope: Scope, reason: Type.String({ minLength: 1, maxLength: 300, description: 'why, for other people' }) })
const ResumeBody = Type.Object({ scope: Scope })

export function operatorRoutes(context: ServiceContext, parts: OperatorParts): FastifyPluginAsyncTypebox {
  const { db, settings, registry, log } = context
  const authentication = createOperatorAuthentication({ db, isSecure: settings.publicUrl?.startsWith('https:') ?? false })
  const readRows = createInProgressReader(context)
  const readFigures = createOrderFigures(context, readRows)
  const readOverview = createOverviewReader(context, parts, readFigures)
  const readActivity = createActivityReader(context)
  const money = createMoneyReader(context, createSolverStatus(context), parts.relay)
  describeFigures(context, parts.metrics, readFigures, money)

  const describeSession = ({ name, mayWrite, cookie, until }: CallingOperator): OperatorSessionRecord => ({
    name,
    may_write: mayWrite,
    csrf_token: cookie === null ? '' : csrfTokenOf(cookie),
    until: until?.toISOString() ?? '',
    environment: settings.environment,
  })

  function parseScope(scope: string): string {
    const known = registry.chains.filter(({ id }) => registry.isServed(id)).map(({ id }) => id)
    if (scope === EVERYTHING || known.includes(scope)) return scope
    throw new TandemError('bad_request', `scope: expected * or one of ${known.join(', ')}, got "${scope}"`)
  }

  const insideRoutes: FastifyPluginAsyncTypebox = async (inside) => {
    inside.addHook('onRequest', authentication.authenticate)
    inside.get('/session', async (request) => success(describeSession(requireOperator(request))))
    inside.post('/logout', async (request, reply) => {
      await authentication.logout(request, reply)
      return success(null)
    })
    inside.get('/overview', async () => success(await readOverview()))
    inside.get('/orders', async () => {
      const rows = await readRows()
      const answer: OrderRowsRecord = { orders: rows, more: rows.length >= MAX_ROWS }
      return success(answer)
    })
    inside.get('/activity', async () => success(await readActivity()))
    inside.get('/inventory', async () => success(await money.inventory()))
    inside.get('/budgets', async () => success(await money.budgets()))
    inside.get('/problems', async () =>
      success(
        parts.problems.list().map(
          ({ at, level, message, details, order, times }): ProblemRecord => ({
            at: at.toISOString(),
            level,
            message,
            details,
            order_id: order,
            times,
          }),
        ),
      ),
    )
    inside.get(
      '/search',
      { schema: { querystring: Type.Object({ q: Type.String({ description: 'an order, address, transaction or secret hash' }) }) } },
      async (request) => success(await searchForOperator(context, request.query.q)),
    )
    inside.get('/orders/:order_id', { schema: { params: Type.Object({ order_id: Type.String() }) } }, async (request) =>
      success(await describeOrderPage(context, request.params.order_id)),
    )
    inside.post('/halts', { schema: { body: HaltBody } }, async (request) => {
      assertMayWrite(request)
      const scope = parseScope(request.body.scope)
      await context.operatorHalts.halt(scope, request.body.reason)
      log.warn({ scope, reason: request.body.reason, operator: requireOperator(request).name }, 'halted by an operator')
      return success(null)
    })
    inside.post('/resume', { schema: { body: ResumeBody } }, async (request) => {
      assertMayWrite(request)
      const scope = parseScope(request.body.scope)
      if (!(await context.operatorHalts.resume(scope))) throw new TandemError('conflict', `${scope} is not halted`)
      log.warn({ scope, operator: requireOperator(request).name }, 'resumed by an operator')
      return success(null)
    })
  }

  const apiRoutes: FastifyPluginAsyncTypebox = async (api) => {
    api.decorateRequest('operator', null)
    api.addHook('onRoute', (route) => {
      route.schema = { querystring: NoQuery, ...route.schema, ...hidden }
    })
    api.addHook('onSend', (_request, reply, _payload, done) => {
      void reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
      done()
    })
    api.post('/login', { schema: { body: LoginBody } }, async (request, reply) => {
      const operator = await authentication.login(request, reply, request.body.token)
      log.info({ operator: operator.name, address: request.ip }, 'an operator logged in')
      return success(describeSession(operator))
    })
    void api.register(insideRoutes)
  }

  return async (server) => {
    server.get('/metrics', { schema: hidden }, async (request, reply) => {
      await authentication.assertBearer(request)
      return reply
        .type(METRICS_TYPE)
        .header('cache-control', 'no-store')
        .send(await parts.metrics.render())
    })
    void server.register(apiRoutes, { prefix: '/operator/api' })
  }
}

function createActivityReader({ db, now }: Pick<ServiceContext, 'db' | 'now'>): () => Promise<ActivityRecord> {
  const kept = createTtlCache<ActivityRecord>({ keepMs: ACTIVITY_CACHE_MS, maxEntries: 1 })

  async function read(): Promise<ActivityRecord> {
    const last = Math.floor(Number(now()) / PERIOD_SECONDS)
    const first = last - PERIODS + 1
    const [volumes, steps] = await Promise.all([readVolumes(db, first), readStepTimes(db)])
    const byPeriod = new Map(volumes.map((volume) => [volume.period, volume]))
    const periods = Array.from({ length: PERIODS }, (_, i) => {
      const volume = byPeriod.get(first + i)
      return {
        at: new Date((first + i) * PERIOD_SECONDS * 1000).toISOString(),
        swaps: volume?.swaps ?? 0,
        volume_usd: formatUsd(volume?.usdMicros ?? 0n),
      }
    })
    return {
      period_seconds: PERIOD_SECONDS,
      periods,
      steps: steps.map((step) => ({
        from: step.from,
        to: step.to,
        orders: step.orders,
        median_seconds: step.medianSeconds,
        p95_seconds: step.p95Seconds,
        slowest_seconds: step.slowestSeconds,
        slowest_order: step.slowestOrder,
      })),
    }
  }

  return () => kept.get('', read)
}
