/** The routes POST /orders, GET /orders/{id} with its sub-resources, and PATCH /orders/{id}. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { App } from '@tandem/party/store/apps/apps.ts'
import type { OrderSnapshot } from '@tandem/party/store/orders/orders.ts'
import { CreateOrderResult } from '@tandem/protocol/funding/funding.ts'
import { Envelope, success } from '@tandem/protocol/wire/envelope.ts'
import {
  CreateOrderRequest,
  initiationText,
  OrderRecord,
  type PatchAction,
  PatchOrderRequest,
  patchBodies,
  signatureText,
} from '@tandem/protocol/wire/order.ts'
import { OrderList, OrderListQuery } from '@tandem/protocol/wire/order-list.ts'
import { type Static, type TSchema, Type } from 'typebox'
import type { ServiceContext } from '../../context.ts'
import { instantRefundHashes, refundInstantly } from '../../instant-refund/refund-instantly.ts'
import { createOrder, describeAgain } from '../../orders/create.ts'
import { grantInitiate } from '../../orders/grant.ts'
import { listOrders } from '../../orders/list.ts'
import { grantRedeem } from '../../orders/redeem.ts'
import { refundSource } from '../../orders/refund.ts'
import type { RefundRequest } from '../../orders/refund-address.ts'
import { assertOwnOrder, requireSnapshot, viewOrder } from '../../orders/view.ts'
import { refuseWhenOverloaded } from '../overload.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    documentedBody?: TSchema
  }
}

type Patch = {
  readonly app: App
  readonly snapshot: OrderSnapshot
  readonly body: PatchOrderRequest
  readonly headers: Static<typeof PatchHeaders>
  readonly closing: AbortSignal
}

/** Each action returns the hash of a transaction. */
const actions: Readonly<Record<PatchAction, (context: ServiceContext, patch: Patch) => Promise<string>>> = {
  initiate: (context, { app, snapshot, body, closing }) => grantInitiate(context, app, snapshot.stored, initiationText(body), closing),
  redeem: (context, { snapshot, body, closing }) => grantRedeem(context, snapshot.stored, body.secret, closing),
  refund: (context, patch) => refundSource(context, patch.snapshot.stored, refundRequest(patch), patch.closing),
  'instant-refund': (context, patch) =>
    refundInstantly(context, patch.snapshot, { ...refundRequest(patch), signatures: patch.body.signatures }, patch.closing),
}
const actionNames = Object.keys(actions) as PatchAction[]
const ACTIONS = actionNames.join(', ').replace(/, ([^,]*)$/, ' or $1')

const OrderPath = Type.Object({ order_id: Type.String({ description: 'the order_id that POST /orders returned' }) })
const PatchQuery = Type.Object({ action: Type.Enum(actionNames, { description: ACTIONS }) })
const PatchHeaders = Type.Object({ 'order-token': Type.Optional(Type.String({ description: 'the same as `order_token` in the body' })) })
const CreateHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[ -~]{1,255}$',
      description: '1 to 255 printable ASCII characters: a repeat with the same key returns the first order',
    }),
  ),
})

export function orderRoutes(context: ServiceContext, closing: AbortSignal): FastifyPluginAsyncTypebox {
  return async (api) => {
    api.post(
      '/orders',
      {
        onRequest: refuseWhenOverloaded(context, 'order'),
        schema: {
          operationId: 'createOrder',
          tags: ['Swaps'],
          summary: 'Make an order',
          description:
            "Returns how to fund the source. `order_token` and `refund_package` are returned only this once. A repeat with the same owners and `nonce`, or with the same `Idempotency-Key` header, returns the first order again, without them. With `secret_hash` the secret stays with you until you reveal it. `source.delegate` is the account that pays and initiates in the owner's place, where owners are accounts. Neither the delegate nor the owner may be the solver. On Bitcoin-family chains an owner may be your own x-only public key (64 hex characters): then only you can refund or redeem. As `destination.owner` it needs `secret_hash`. 503 with `Retry-After` while the service is overloaded.",
          headers: CreateHeaders,
          body: CreateOrderRequest,
          response: { 200: Envelope(CreateOrderResult) },
        },
      },
      async (request) => success(await createOrder(context, request.callingApp, request.body, request.headers['idempotency-key'] ?? null)),
    )

    api.get(
      '/orders/:order_id',
      {
        schema: {
          operationId: 'getOrder',
          tags: ['Swaps'],
          summary: 'The current state of one order',
          params: OrderPath,
          response: { 200: Envelope(OrderRecord) },
        },
      },
      async (request) => success(await viewOrder(context, request.params.order_id)),
    )

    api.get(
      '/orders/:order_id/funding',
      {
        schema: {
          operationId: 'getOrderFunding',
          tags: ['Swaps'],
          summary: 'How to fund an order',
          description:
            'The answer of POST /orders by the current state of the chain, without `order_token` and `refund_package`. Where transactions expire (`versioned_tx`), it returns fresh ones. Only for the app that made the order.',
          params: OrderPath,
          response: { 200: Envelope(CreateOrderResult) },
        },
      },
      async ({ callingApp, params }) =>
        success(await describeAgain(context, callingApp, (await requireOwnOrder(params.order_id, callingApp)).stored)),
    )

    api.get(
      '/orders/:order_id/instant-refund-hash',
      {
        schema: {
          operationId: 'getInstantRefundHashes',
          tags: ['Swaps'],
          summary: 'Hashes that the client must sign for an instant refund',
          description: "One hash per deposit. Empty where the service holds the user's key of the order.",
          params: OrderPath,
          response: { 200: Envelope(Type.Array(Type.String())) },
        },
      },
      async ({ callingApp, params }) =>
        success([...(await instantRefundHashes(context, await requireOwnOrder(params.order_id, callingApp)))]),
    )

    api.patch(
      '/orders/:order_id',
      {
        config: { documentedBody: Type.Union(Object.values(patchBodies)) },
        schema: {
          operationId: 'patchOrder',
          tags: ['Swaps'],
          summary: 'Initiate, redeem, refund or instant-refund an order',
          description:
            'Returns the hash of the transaction once it is broadcast. A repeated call joins the first. `initiate` takes `signature`: over `typed_data` (a signature of several numbers as an array, or joined by commas), over all that one of the `signature_offers` asks for, with its `offer`, or the signed `versioned_tx_gasless` in base64. An initiation that would revert is refused before anything is sent. If a relay reverted, the answer gives the reason, and a repeated call relays again once the cause is gone. An app may have a limit of relays per 24 hours (429 with `Retry-After`). `redeem` takes the `secret` of `secret_hash`. `instant-refund` takes `signatures`. It is signed at most 10 times a minute for one order, and 10 times more with `order_token` (429 with `Retry-After`). A repeat that needs no new signature is not counted. `refund` and `instant-refund` may take `address`. Setting the first address needs `order_token`. Changing it is possible until a refund is signed, and needs `signature`: a BIP-322 signature by the current address over the one line `Tandem refund of order <order_id> to <new address>`. Before the timelock ends, such a `refund` returns an empty string: the address is set, and there is no transaction yet.',
          params: OrderPath,
          querystring: PatchQuery,
          headers: PatchHeaders,
          body: PatchOrderRequest,
          response: { 200: Envelope(Type.String()) },
        },
      },
      async ({ callingApp: app, params, query, body, headers }) => {
        return success(
          await actions[query.action](context, { app, snapshot: await requireOwnOrder(params.order_id, app), body, headers, closing }),
        )
      },
    )
  }

  async function requireOwnOrder(orderId: string, app: App): Promise<OrderSnapshot> {
    const snapshot = await requireSnapshot(context, orderId)
    assertOwnOrder(snapshot.stored, app)
    return snapshot
  }
}

function refundRequest({ body, headers }: Patch): RefundRequest {
  return {
    address: body.address ?? null,
    orderToken: body.order_token ?? headers['order-token'] ?? null,
    proof: signatureText(body) ?? null,
  }
}

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
            'Your own orders. Orders of other apps are included only if you filter by address, owner, secret hash or transaction. ' +
            'A solver that signs the request with its key gets its orders of all apps with its `solver_id`: see docs/solver-protocol.md. ' +
            'An order must match all filters. A filter may have several comma-separated values, of which one must match.',
          querystring: OrderListQuery,
          response: { 200: Envelope(OrderList) },
        },
      },
      async (request) => {
        const { callingApp, query, method, url: target, headers } = request
        return success(await listOrders(context, callingApp, context.solverRequests.signerOf({ method, target, headers }), query))
      },
    )
  }
}
