/** How much the solver agrees to pay for an order, and the prices from which that follows. */
import { parseAmount } from '../protocol/amount.ts'
import { TandemError } from '../protocol/error.ts'
import type { SolverOrderRequest } from '../protocol/wire/solver.ts'
import { hasQuoteCovering } from '../store/solver/quotes.ts'
import type { Caller } from './caller.ts'
import { priceExactIn } from './pricing/price.ts'
import { impliedPrices, mostAt, type Prices } from './pricing/price-limit.ts'
import { priceTerms } from './pricing/terms.ts'
import type { QuoteContext } from './quotes.ts'
import { customerOf } from './risk/customers.ts'

export type AgreedAmount = {
  readonly amount: bigint
  /** The re-check before the solver pays compares with these. */
  readonly prices: Prices
}

/**
 * The asked amount if the current price covers it, or an open quote does and the price has not moved further than the solver's own limit. Else
 * the current price, if it is within the user's slippage.
 */
export async function agreeAmount(
  context: QuoteContext,
  request: SolverOrderRequest,
  sourceAmount: bigint,
  caller: Caller,
): Promise<AgreedAmount> {
  const { registry, pricing } = context
  const source = registry.asset(request.source.asset)
  const destination = registry.asset(request.destination.asset)
  const asked = parseAmount(request.destination.amount, 'destination.amount')
  const customer = customerOf(request, caller)
  const premiumBips = context.risk.premiumBips({ ...customer, clientSecret: request.client_secret ?? false })
  const quotedPremiumBips = context.risk.premiumBips({ ...customer, owner: null, clientSecret: false })
  const { terms } = await priceTerms(context, {
    source,
    destination,
    extraFeeBips: request.extra_fee_bips,
    premiumBips,
    isIndicative: false,
  })
  const now = { source: terms.source.price, destination: terms.destination.price }
  const offer = priceExactIn(terms, sourceAmount)
  const isCovered = (destinationAmount: bigint) =>
    hasQuoteCovering(context.db, {
      source: source.id,
      destination: destination.id,
      sourceAmount,
      destinationAmount,
      extraFeeBips: request.extra_fee_bips,
      now: context.now(),
      app: customer.app,
    })
  const agreeOn = (amount: bigint): AgreedAmount => ({ amount, prices: impliedPrices(now, amount, offer) })
  if (offer > 0n && offer >= asked) return agreeOn(asked)
  // A quote does not know whose order it will be: it does not cover a premium of the owner.
  const isQuotedAlike = premiumBips <= quotedPremiumBips
  const isWithinLimit = isQuotedAlike && offer > 0n && asked <= mostAt(offer, now, now, pricing.priceToleranceBips)
  if (isWithinLimit && (await isCovered(asked))) return agreeOn(asked)
  const least = asked - (asked * BigInt(request.slippage_bips)) / 10_000n
  if (offer === 0n || offer < least) {
    if (!isQuotedAlike)
      throw new TandemError(
        'conflict',
        `earlier orders of this owner add ${premiumBips - quotedPremiumBips} hundredths of a percent to the price: ask for ${offer} of ${destination.id} or less`,
      )
    throw new TandemError(
      'price_moved',
      `destination.amount ${asked} was asked for, the price is now ${offer} of ${destination.id}: take a new quote`,
    )
  }
  return agreeOn(offer)
}
