/** POST /orders, GET /orders/{id} and what belongs to it, PATCH /orders/{id}. */

import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { TandemError } from '../../../protocol/error.ts'
import { CreateOrderResult } from '../../../protocol/funding/funding.ts'
import { Envelope, success } from '../../../protocol/wire/envelope.ts'
import { CreateOrderRequest, OrderRecord, PatchOrderRequest } from '../../../protocol/wire/order.ts'
import type { App } from '../../../store/apps/apps.ts'
import type { StoredOrder } from '../../../store/orders/orders.ts'
import type { ServiceContext } from '../../context.ts'
import { instantRefundHashes, refundInstantly } from '../../instant-refund/refund-instantly.ts'
import { createOrder, describeFunding } from '../../orders/create.ts'
import { grantInitiate } from '../../orders/grant.ts'
import { grantRedeem } from '../../orders/redeem.ts'
import { refundSource } from '../../orders/refund.ts'
import type { RefundAsk } from '../../orders/refund-address.ts'
import { assertOwnOrder, requireOrder, viewOrder } from '../../orders/view.ts'

/** What PATCH is asked to do, and by whom. */
type Patch = {
  readonly app: App
  readonly stored: StoredOrder
  readonly body: PatchOrderRequest
  readonly headers: IncomingHttpHeaders
  /** Aborted when the server is going away. */
  readonly closing: AbortSignal
}

/** Each answers with the hash of a transaction. */
const actions: ReadonlyMap<string, (context: ServiceContext, patch: Patch) => Promise<string>> = new Map([
  ['initiate', (context, { app, stored, body, closing }) => grantInitiate(context, app, stored, body.signature, closing)],
  ['redeem', (context, { stored, body, closing }) => grantRedeem(context, stored, body.secret, closing)],
  ['refund', (context, patch) => refundSource(context, patch.stored, refundAsk(patch), patch.closing)],
  [
    'instant-refund',
    (context, patch) => refundInstantly(context, patch.stored, { ...refundAsk(patch), signatures: patch.body.signatures }, patch.closing),
  ],
])
const ACTIONS = [...actions.keys()].join(', ').replace(/, ([^,]*)$/, ' or $1')

const OrderPath = Type.Object({ order_id: Type.String() })
const PatchQuery = Type.Object({ action: Type.String({ description: ACTIONS }) })

/** `closing` ends waits early when the server is going away. */
export function orderRoutes(context: ServiceContext, closing: AbortSignal): FastifyPluginAsyncTypebox {
  return async (api) => {
    api.post(
      '/orders',
      {
        schema: {
          operationId: 'createOrder',
          tags: ['Swaps'],
          summary: 'Make an order',
          description:
            "Answers what is needed to fund the source; `order_token` and `refund_package` are shown this once. Repeating it with the same owners and `nonce`, or with the same `Idempotency-Key` header, answers the first order again, without them. With `secret_hash` the secret stays with you until you reveal it. `source.delegate` is who pays and initiates in the owner's place, where owners are accounts; it cannot be the solver, nor can the owner. On Bitcoin-family chains an owner may be an x-only public key of yours (64 hex characters): then only you can refund, or redeem; as `destination.owner` it needs `secret_hash`.",
          body: CreateOrderRequest,
          response: { 200: Envelope(CreateOrderResult) },
        },
      },
      async (request) => success(await createOrder(context, request.callingApp, request.body, parseIdempotencyKey(request.headers))),
    )

    api.get(
      '/orders/:order_id',
      {
        schema: {
          operationId: 'getOrder',
          tags: ['Swaps'],
          summary: 'One order as it is now',
          params: OrderPath,
          response: { 200: Envelope(OrderRecord) },
        },
      },
      async (request) => success(await viewOrder(context, request.callingApp, request.params.order_id)),
    )

    api.get(
      '/orders/:order_id/funding',
      {
        schema: {
          operationId: 'getOrderFunding',
          tags: ['Swaps'],
          summary: 'What is needed to fund an order, once more',
          description:
            'The answer of POST /orders as the chain is now, without `order_token` and `refund_package`. For the app that made the order.',
          params: OrderPath,
          response: { 200: Envelope(CreateOrderResult) },
        },
      },
      async ({ callingApp, params }) =>
        success(await describeFunding(context, callingApp, (await requireOwnOrder(params.order_id, callingApp)).order, null)),
    )

    api.get(
      '/orders/:order_id/instant-refund-hash',
      {
        schema: {
          operationId: 'getInstantRefundHashes',
          tags: ['Swaps'],
          summary: 'What the client must sign for an instant refund',
          description: "One hash for each deposit; none where the service holds the user's key of the order.",
          params: OrderPath,
          response: { 200: Envelope(Type.Array(Type.String())) },
        },
      },
      async ({ callingApp, params }) => success(await instantRefundHashes(context, await requireOwnOrder(params.order_id, callingApp))),
    )

    api.patch(
      '/orders/:order_id',
      {
        schema: {
          operationId: 'patchOrder',
          tags: ['Swaps'],
          summary: 'Move an order on: initiate, redeem, refund or instant-refund',
          description:
            'Answers the hash of the transaction that does it, once it is sent; repeating the call joins the first. `initiate` takes `signature`: what would fail on the chain is refused before anything is sent, a relay that reverted is answered with the reason and sent again by a repeated call once that is gone, and an app may have a number of them for each 24 hours (429 with `Retry-After`). `redeem` takes the `secret` of `secret_hash`, `instant-refund` takes `signatures`. `refund` and `instant-refund` may take `address`: the first one with `order_token`; another one, until a refund is signed, with `signature`, a BIP-322 signature by the address before over the one line `Tandem refund of order <order_id> to <new address>`. Before the timelock ends such a `refund` is answered with an empty string: the address is changed, and there is no transaction yet.',
          params: OrderPath,
          querystring: PatchQuery,
          body: PatchOrderRequest,
          response: { 200: Envelope(Type.String()) },
        },
      },
      async ({ callingApp: app, params, query, body, headers }) => {
        const act = actions.get(query.action)
        if (act === undefined) throw new TandemError('bad_request', `action: expected ${ACTIONS}, got "${query.action.slice(0, 90)}"`)
        return success(await act(context, { app, stored: await requireOwnOrder(params.order_id, app), body, headers, closing }))
      },
    )
  }

  async function requireOwnOrder(orderId: string, app: App): Promise<StoredOrder> {
    const stored = await requireOrder(context, orderId)
    assertOwnOrder(stored, app)
    return stored
  }
}

function refundAsk({ body, headers }: Patch): RefundAsk {
  const orderToken = body.order_token ?? headers['order-token'] ?? null
  return { address: body.address ?? null, orderToken: Array.isArray(orderToken) ? null : orderToken, proof: body.signature ?? null }
}

function parseIdempotencyKey(headers: IncomingHttpHeaders): string | null {
  const key = headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || !/^[ -~]{1,255}$/.test(key))
    throw new TandemError('bad_request', 'the header Idempotency-Key must have 1 to 255 printable ASCII characters')
  return key
}
