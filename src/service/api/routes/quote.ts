/** GET /quote. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Envelope, success } from '../../../protocol/wire/envelope.ts'
import { Quote, QuoteQuery } from '../../../protocol/wire/quote.ts'
import type { ServiceContext } from '../../context.ts'
import { answerQuote } from '../../quotes/quote.ts'

export function quoteRoutes(context: ServiceContext): FastifyPluginAsyncTypebox {
  return async (api) => {
    api.get('/quote', { schema: { querystring: QuoteQuery, response: { 200: Envelope(Type.Array(Quote)) } } }, async (request) =>
      success([...(await answerQuote(context, request.callingApp, request.query))]),
    )
  }
}
