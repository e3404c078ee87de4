/** The routes GET /volume and GET /fees, which clients also call /fee. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Statistics, sumCompletedOrders } from '@tandem/party/store/order-list/order-statistics.ts'
import { formatUsd } from '@tandem/protocol/amount.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { Envelope, success } from '@tandem/protocol/wire/envelope.ts'
import { StatisticsQuery } from '@tandem/protocol/wire/statistics.ts'
import { Type } from 'typebox'
import type { ServiceContext } from '../../context.ts'
import { parseAddresses, parseChains } from '../../orders/filters.ts'

const Dollars = Type.String({ description: 'US dollars with 2 to 6 decimals' })

export function statisticsRoutes(context: ServiceContext): FastifyPluginAsyncTypebox {
  const readFees = async (query: StatisticsQuery) => formatUsd((await readStatistics(context, query)).feesUsdMicros)

  return async (api) => {
    api.get(
      '/volume',
      {
        schema: {
          operationId: 'getVolume',
          tags: ['Statistics'],
          summary: 'Volume of completed orders',
          description: 'The value of all completed orders of this service, at the prices when they were made.',
          querystring: StatisticsQuery,
          response: { 200: Envelope(Dollars) },
        },
      },
      async ({ query }) => success(formatUsd((await readStatistics(context, query)).volumeUsdMicros)),
    )

    api.get(
      '/fees',
      {
        schema: {
          operationId: 'getFees',
          tags: ['Statistics'],
          summary: 'Fees of completed orders',
          description:
            'The value of the source amounts minus that of the destination amounts, in all completed orders of this service, at the prices when they were made. `/fee` is another name of this path.',
          querystring: StatisticsQuery,
          response: { 200: Envelope(Dollars) },
        },
      },
      async ({ query }) => success(await readFees(query)),
    )

    api.get('/fee', { schema: { hide: true, querystring: StatisticsQuery, response: { 200: Envelope(Dollars) } } }, async ({ query }) =>
      success(await readFees(query)),
    )
  }
}

function readStatistics({ db, registry, clients }: ServiceContext, query: StatisticsQuery): Promise<Statistics> {
  const { from = null, to = null } = query
  if (from !== null && to !== null && from > to)
    throw new TandemError('bad_request', `from: expected a time that is not later than to, got ${from} and ${to}`)
  return sumCompletedOrders(db, {
    fromChains: parseChains(registry, 'source_chain', query.source_chain),
    toChains: parseChains(registry, 'destination_chain', query.destination_chain),
    addresses: parseAddresses(clients, 'address', query.address),
    chains: registry.chains.map(({ id }) => id),
    since: from,
    until: to,
  })
}
