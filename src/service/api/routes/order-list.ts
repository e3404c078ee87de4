/** GET /orders. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Envelope, success } from '../../../protocol/wire/envelope.ts'
import { OrderList, OrderListQuery } from '../../../protocol/wire/order-list.ts'
import type { ServiceContext } from '../../context.ts'
import { listOrders } from '../../orders/list.ts'

export function orderListRoutes(context: ServiceContext): FastifyPluginAsyncTypebox {
  return async (api) => {
    api.get(
      '/orders',
      {
        schema: {
          operationId: 'listOrders',
          tags: ['Swaps'],
          summary: 'Orders, newest first',
          description:
            'Your own orders; those of other apps only where you name an address, an owner or a transaction of them, and never their secrets. ' +
            'Filters narrow together; several values of one filter, with commas between them, widen it.',
          querystring: OrderListQuery,
          response: { 200: Envelope(OrderList) },
        },
      },
      async (request) => success(await listOrders(context, request.callingApp, request.query)),
    )
  }
}
