/** The route GET /feed. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Envelope, success } from '@tandem/protocol/wire/envelope.ts'
import { Feed, FeedQuery } from '@tandem/protocol/wire/feed.ts'
import type { ServiceContext } from '../../context.ts'
import { listFeed } from '../../orders/feed.ts'

export function feedRoutes(context: ServiceContext): FastifyPluginAsyncTypebox {
  return async (api) => {
    api.get(
      '/feed',
      {
        config: { isList: true },
        schema: {
          operationId: 'listFeed',
          tags: ['Statistics'],
          summary: 'Orders of all apps, newest first',
          description:
            'For explorers and statistics, where the operator has turned it on (`public_feed`); else 404. An order is in it once a chain shows its source. It has no ids, addresses, apps or secrets of users.',
          querystring: FeedQuery,
          response: { 200: Envelope(Feed) },
        },
      },
      async ({ query }) => success(await listFeed(context, query)),
    )
  }
}
