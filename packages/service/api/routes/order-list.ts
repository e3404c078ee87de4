/** GET /orders. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Envelope, success } from '@tandem/protocol/wire/envelope.ts'
import { OrderList, OrderListQuery } from '@tandem/protocol/wire/order-list.ts'
import type { ServiceContext } from '../../context.ts'
import { listOrders } from '../../orders/list.ts'

export function orderListRoutes(context: ServiceContext): FastifyPluginAsyncTypebox {
  return async (api) => {
    api.get(
      '/orders',
      {
        config: { isList: true },
        schema: {
          operationId: 'listOrders',
          tags: ['Swaps'],
          summary: 'Orders, newest first',
          description:
            'Your own orders. Orders of other apps are included only if you filter by address, owner, secret hash or transaction, and never with their secrets. ' +
            'An order must match all filters. A filter may have several comma-separated values, of which one must match.',
          querystring: OrderListQuery,
          response: { 200: Envelope(OrderList) },
        },
      },
      async (request) => success(await listOrders(context, request.callingApp, request.query)),
    )
  }
}
