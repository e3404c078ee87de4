/** GET /quote. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Envelope } from '../../../protocol/wire/envelope.ts'
import { Quote, QuoteQuery } from '../../../protocol/wire/quote.ts'
import type { ServiceContext } from '../../context.ts'
import { createQuoteDesk } from '../../quotes/quote.ts'
import { refuseWhenOverloaded } from '../overload.ts'

export function quoteRoutes(context: ServiceContext): FastifyPluginAsyncTypebox {
  const answerQuote = createQuoteDesk(context)

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
      async (request, reply) => {
        const { envelope, text } = await answerQuote(request.callingApp, request.query)
        return reply
          .type('application/json; charset=utf-8')
          .serializer(() => text)
          .send(envelope)
      },
    )
  }
}
