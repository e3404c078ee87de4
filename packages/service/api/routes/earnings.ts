/** The route GET /apps/earnings returns the earnings of affiliates. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { EarningsQuery, EarningsRecord } from '@tandem/protocol/wire/earnings.ts'
import { Envelope, success } from '@tandem/protocol/wire/envelope.ts'
import { Type } from 'typebox'
import type { ServiceContext } from '../../context.ts'
import { createEarningsDesk } from '../../earnings/earnings.ts'

export function earningsRoutes(context: ServiceContext): FastifyPluginAsyncTypebox {
  const readEarnings = createEarningsDesk(context)
  return async (api) => {
    api.get(
      '/apps/earnings',
      {
        config: { isList: true },
        schema: {
          operationId: 'listEarnings',
          tags: ['Apps'],
          summary: 'Affiliate earnings and claimable amounts per asset',
          description:
            "What affiliates earned by this app's completed orders, once both sides of them are final; the most valuable first. With `claim_*` an affiliate " +
            'can be paid now: anyone may send the claim to the contract, which pays the affiliate the signed total minus what it has paid already.',
          querystring: EarningsQuery,
          response: { 200: Envelope(Type.Array(EarningsRecord)) },
        },
      },
      async ({ callingApp, query }) => success([...(await readEarnings(callingApp, query))]),
    )
  }
}
