/** POST /orders, GET /orders/{id}, PATCH /orders/{id}. */

import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { TandemError } from '../../../protocol/error.ts'
import { Envelope, success } from '../../../protocol/wire/envelope.ts'
import { CreateOrderResult } from '../../../protocol/wire/funding.ts'
import { CreateOrderRequest, OrderRecord, PatchOrderRequest } from '../../../protocol/wire/order.ts'
import type { App } from '../../../store/apps.ts'
import type { ServiceContext } from '../../context.ts'
import { createOrder } from '../../orders/create.ts'
import { grantInitiate } from '../../orders/grant.ts'
import { refundSource } from '../../orders/refund.ts'
import { assertOwnOrder, requireOrder, viewOrder } from '../../orders/view.ts'

const OrderPath = Type.Object({ order_id: Type.String() })
const PatchQuery = Type.Object({ action: Type.String({ description: 'initiate or refund' }) })

/** `closing` ends waits early when the server is going away. */
export function orderRoutes(context: ServiceContext, closing: AbortSignal): FastifyPluginAsyncTypebox {
  return async (api) => {
    api.post('/orders', { schema: { body: CreateOrderRequest, response: { 200: Envelope(CreateOrderResult) } } }, async (request) =>
      success(await createOrder(context, request.callingApp, request.body, parseIdempotencyKey(request.headers))),
    )

    api.get('/orders/:order_id', { schema: { params: OrderPath, response: { 200: Envelope(OrderRecord) } } }, async (request) =>
      success(await viewOrder(context, request.callingApp, request.params.order_id)),
    )

    api.patch(
      '/orders/:order_id',
      { schema: { params: OrderPath, querystring: PatchQuery, body: PatchOrderRequest, response: { 200: Envelope(Type.String()) } } },
      async ({ callingApp, params, query, body, headers }) =>
        success(await patchOrder(callingApp, params.order_id, query.action, body, headers)),
    )
  }

  async function patchOrder(
    app: App,
    orderId: string,
    action: string,
    body: PatchOrderRequest,
    headers: IncomingHttpHeaders,
  ): Promise<string> {
    if (action !== 'initiate' && action !== 'refund')
      throw new TandemError('bad_request', `action: expected initiate or refund, got "${action.slice(0, 90)}"`)
    const stored = await requireOrder(context, orderId)
    assertOwnOrder(stored, app)
    if (action === 'initiate') return grantInitiate(context, app, stored, body.signature, closing)
    const orderToken = body.order_token ?? headers['order-token'] ?? null
    return refundSource(
      context,
      stored,
      { address: body.address ?? null, orderToken: Array.isArray(orderToken) ? null : orderToken },
      closing,
    )
  }
}

function parseIdempotencyKey(headers: IncomingHttpHeaders): string | null {
  const key = headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || !/^[ -~]{1,255}$/.test(key))
    throw new TandemError('bad_request', 'the header Idempotency-Key must have 1 to 255 printable ASCII characters')
  return key
}
