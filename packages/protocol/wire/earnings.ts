/** GET /apps/earnings shows what affiliates earned and can claim. */
import { type Static, Type } from 'typebox'

export const EarningsQuery = Type.Object({
  address: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: "an affiliate's address" })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'a page number, 1 or more' })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: 'how many records, from 1 to 500; default 100' })),
})
export type EarningsQuery = Static<typeof EarningsQuery>

export const EarningsRecord = Type.Object(
  {
    total_earnings: Type.String({ description: "earned by this app's orders, in the smallest unit" }),
    total_earnings_usd: Type.String({ description: 'US dollars, at the prices when the orders were made' }),
    affiliate: Type.String({ description: "the affiliate's address" }),
    asset: Type.String({ description: 'what the affiliate is paid in' }),
    token_address: Type.String({ description: "the zero address stands for the chain's own coin; empty if there is no contract" }),
    claim_amount: Type.Optional(
      Type.String({ description: 'what a claim pays now, in the smallest unit: earned by the orders of all apps, less what was paid' }),
    ),
    claim_amount_usd: Type.Optional(Type.String({ description: 'US dollars, at the price now' })),
    claim_total: Type.Optional(Type.String({ description: 'the total that is signed: all that was earned so far' })),
    claim_signature: Type.Optional(
      Type.String({
        description: 'for `claim(affiliate, token_address, claim_total, claim_signature)` of `claim_contract`; anyone may send it',
      }),
    ),
    claim_contract: Type.Optional(Type.String({ description: 'the contract that pays' })),
    claim_unavailable: Type.Optional(Type.String({ description: 'why what is due cannot be claimed now' })),
  },
  { title: 'Earnings' },
)
export type EarningsRecord = Static<typeof EarningsRecord>
