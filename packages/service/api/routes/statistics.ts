/** GET /volume and GET /fees. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { formatUsd } from '@tandem/protocol/amount.ts'
import { Envelope, success } from '@tandem/protocol/wire/envelope.ts'
import { StatisticsQuery } from '@tandem/protocol/wire/statistics.ts'
import { Type } from 'typebox'
import type { ServiceContext } from '../../context.ts'
import { readStatistics } from '../../orders/statistics.ts'

const Dollars = Type.String({ description: 'US dollars with 2 to 6 decimals' })

export function statisticsRoutes(context: ServiceContext): FastifyPluginAsyncTypebox {
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
            'The value of the source amounts less that of the destination amounts, in all completed orders of this service, at the prices when they were made.',
          querystring: StatisticsQuery,
          response: { 200: Envelope(Dollars) },
        },
      },
      async ({ query }) => success(formatUsd((await readStatistics(context, query)).feesUsdMicros)),
    )
  }
}
