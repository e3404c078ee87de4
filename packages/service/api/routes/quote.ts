/** The route GET /quote. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Envelope } from '@tandem/protocol/wire/envelope.ts'
import { Quote, QuoteQuery } from '@tandem/protocol/wire/quote.ts'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { ServiceContext } from '../../context.ts'
import { createQuoteDesk } from '../../quotes/quote.ts'
import { refuseWhenOverloaded } from '../overload.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

export function quoteRoutes(context: ServiceContext): FastifyPluginAsyncTypebox {
  const desk = createQuoteDesk(context)
  return async (api) => {
    api.get(
      '/quote',
      {
        onRequest: [
          refuseWhenOverloaded(context, 'quote'),
          // A repeated question needs no check of its query, because the first request had the same one.
          (request, reply, done) => {
            const json = desk.recent(request.callingApp, questionIn(request.url))
            if (json === undefined) done()
            else sendJson(reply, json)
          },
        ],
        schema: {
          operationId: 'getQuote',
          tags: ['Swaps'],
          summary: 'Quotes for a swap',
          description:
            'One quote for each solver, best first. Exactly one of `from_amount` (exact in) and `to_amount` (exact out) is given. All fees are inside the amounts. A quote can be ordered until `expires_at`. 503 with `Retry-After` while the service is overloaded.',
          querystring: QuoteQuery,
          response: { 200: Envelope(Type.Array(Quote)) },
        },
      },
      async ({ callingApp, url, query }, reply) => sendJson(reply, await desk.answer(callingApp, questionIn(url), query)),
    )
  }
}

/** The text is JSON already. The framework's types expect the object, so this bypasses them. */
function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('content-type', JSON_TYPE).send(json)
}

function questionIn(url: string): string {
  return url.slice(url.indexOf('?') + 1)
}
