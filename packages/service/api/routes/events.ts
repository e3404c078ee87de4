/** The routes GET /orders/{id}/events and GET /events send Server-Sent Events. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { TandemError } from '@tandem/protocol/error.ts'
import { OrderEventRecord } from '@tandem/protocol/wire/order-event.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { ServiceContext } from '../../context.ts'
import { requireSnapshot } from '../../orders/view.ts'

const MAX_EVENT_ID = 2n ** 63n - 1n

const OrderPath = Type.Object({ order_id: Type.String({ description: 'the order_id that POST /orders returned' }) })
const EventsQuery = Type.Object({
  app_id: Type.Optional(
    Type.String({ description: 'The app id, for clients that cannot set headers, such as EventSource in browsers.', maxLength: 64 }),
  ),
  last_event_id: Type.Optional(
    Type.String({ description: 'The same as the header `Last-Event-ID`, which wins, for a first connection after a reload.' }),
  ),
})
const stream = {
  description: 'Server-Sent Events; the data of each is this record.',
  content: { 'text/event-stream': { schema: OrderEventRecord } },
}
const RESUME =
  'Send the id of the last event that you have seen as `Last-Event-ID` to get all later ones first; events are kept for 7 days. ' +
  'Events of one order come in their order, each at least once. The stream ends after 30 minutes at the latest: connect again. ' +
  '429 or 503 with `Retry-After` if too many streams are open.'

export function eventRoutes(context: ServiceContext): FastifyPluginAsyncTypebox {
  return async (api) => {
    api.get(
      '/orders/:order_id/events',
      {
        exposeHeadRoute: false,
        config: { takesAppIdInQuery: true },
        schema: {
          operationId: 'followOrder',
          tags: ['Swaps'],
          summary: 'One order, live',
          description: `One event for each change of its status. The first one is the current state, unless you resume. ${RESUME}`,
          params: OrderPath,
          querystring: EventsQuery,
          response: { 200: stream },
        },
      },
      (request, reply) => follow(request, reply, () => requireSnapshot(context, request.params.order_id)),
    )

    api.get(
      '/events',
      {
        exposeHeadRoute: false,
        config: { takesAppIdInQuery: true },
        schema: {
          operationId: 'followOrders',
          tags: ['Swaps'],
          summary: 'All orders of your app, live',
          description: `One event for each new order and each change of a status, from now on. An event \`gap\` says that the events after \`Last-Event-ID\` are not known any more: read GET /orders. ${RESUME}`,
          querystring: EventsQuery,
          response: { 200: stream },
        },
      },
      (request, reply) => follow(request, reply, null),
    )
  }

  type StreamRequest = FastifyRequest<{ Querystring: { last_event_id?: string } }>

  async function follow(
    { callingApp, ip, headers, query }: StreamRequest,
    reply: FastifyReply,
    readOrder: (() => ReturnType<typeof requireSnapshot>) | null,
  ): Promise<void> {
    const lastEventId = parseEventId(headers['last-event-id'] ?? query.last_event_id)
    const begin = () => {
      void reply.hijack().headers({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store, no-transform',
        // Without this header a closing server would wait for a connection that the client keeps open.
        connection: 'close',
        // Without this header nginx would buffer the events.
        'x-accel-buffering': 'no',
      })
      const { raw } = reply
      raw.statusCode = 200
      for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value)
      return raw
    }
    await context.events.open({ app: callingApp.name, address: ip, lastEventId, readOrder, begin })
  }
}

/** Returns null if there is no id. Ids are numbers of the whole service, so the id of another app's event is only a position. */
function parseEventId(given: string | readonly string[] | undefined): bigint | null {
  if (given === undefined || given === '') return null
  if (typeof given === 'string' && /^[0-9]{1,19}$/.test(given) && BigInt(given) <= MAX_EVENT_ID) return BigInt(given)
  throw new TandemError(
    'bad_request',
    `Last-Event-ID: expected the id of an event, a whole number, got ${JSON.stringify(String(given).slice(0, 40))}`,
  )
}
