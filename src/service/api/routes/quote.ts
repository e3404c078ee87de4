/** GET /quote. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { Envelope } from '../../../protocol/wire/envelope.ts'
import { Quote, QuoteQuery } from '../../../protocol/wire/quote.ts'
import type { ServiceContext } from '../../context.ts'
import type { QuoteDesk } from '../../quotes/quote.ts'
import type { AnswerText } from '../../whole-answer.ts'
import { refuseWhenOverloaded } from '../overload.ts'
import { JSON_TYPE, questionIn } from '../repeated-quotes.ts'

export function quoteRoutes(context: ServiceContext, desk: QuoteDesk): FastifyPluginAsyncTypebox {
  return async (api) => {
    api.get(
      '/quote',
      {
        onRequest: refuseWhenOverloaded(context, 'quote'),
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
      async (request, reply) => sendJson(reply, await desk.answer(request.callingApp, questionIn(request.url), request.query)),
    )
  }
}

function sendJson(reply: FastifyReply, { json }: AnswerText): FastifyReply {
  return reply.header('content-type', JSON_TYPE).send(json)
}
