/** GET /apps/earnings: the earnings of affiliates. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Envelope, success } from '../../../protocol/wire/envelope.ts'

const EarningsRecord = Type.Object({
  total_earnings: Type.String({ description: 'in the smallest unit' }),
  total_earnings_usd: Type.String(),
  affiliate: Type.String({ description: "the affiliate's address" }),
  asset: Type.String(),
  token_address: Type.String(),
  claim_amount: Type.Optional(Type.String()),
  claim_amount_usd: Type.Optional(Type.String()),
  claim_signature: Type.Optional(Type.String()),
  claim_contract: Type.Optional(Type.String()),
})

export const earningsRoutes: FastifyPluginAsyncTypebox = async (api) => {
  api.get(
    '/apps/earnings',
    {
      schema: {
        operationId: 'listEarnings',
        tags: ['Apps'],
        summary: 'Affiliate earnings and claimable amounts per asset',
        description: 'Empty: affiliate fees are recorded on each order (`affiliate_fees`), and not yet summed up.',
        response: { 200: Envelope(Type.Array(EarningsRecord)) },
      },
    },
    async () => success([]),
  )
}
