/** The routes that integrators call. `@tandem/reference` documents them by the schemas that check their requests. */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { ServiceContext } from '../context.ts'
import { catalogRoutes, policyRoutes } from './routes/catalog.ts'
import { earningsRoutes } from './routes/earnings.ts'
import { eventRoutes } from './routes/events.ts'
import { feedRoutes } from './routes/feed.ts'
import { healthRoutes } from './routes/health.ts'
import { orderListRoutes, orderRoutes } from './routes/orders.ts'
import { quoteRoutes } from './routes/quote.ts'
import { schemaRoutes } from './routes/schemas.ts'
import { solverRoutes } from './routes/solvers.ts'
import { statisticsRoutes } from './routes/statistics.ts'
import { NoQuery } from './validation.ts'

/** `closing` is aborted when the server stops. `addHooks` adds authentication and limits to everything below /v2. */
export function apiRoutes(context: ServiceContext, closing: AbortSignal, addHooks: (v2: FastifyInstance) => void): FastifyPluginAsync {
  return async (api) => {
    void api.register(healthRoutes(context))
    void api.register(
      async (v2) => {
        v2.decorateRequest('callingApp')
        v2.addHook('onRoute', (route) => {
          route.schema = { querystring: NoQuery, ...route.schema }
        })
        addHooks(v2)
        const routes = [
          quoteRoutes(context),
          orderRoutes(context, closing),
          orderListRoutes(context),
          eventRoutes(context),
          statisticsRoutes(context),
          feedRoutes(context),
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
  }
}
