/** How much the solver agrees to pay for an order, and the prices from which that follows. */
import { parseAmount } from '../protocol/amount.ts'
import { TandemError } from '../protocol/error.ts'
import type { SolverOrderRequest } from '../protocol/wire/solver.ts'
import { findCoveringQuote } from '../store/solver/quotes.ts'
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
 * What is asked is the least: the quoted amount if an open quote covers the order and the price has not moved further than the solver's own limit, else
 * the price now; not more than asked if the user accepts worse. If the price now is below what is asked, it must be within the user's slippage.
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
  const agreeOn = (amount: bigint): AgreedAmount => ({ amount, prices: impliedPrices(now, amount, offer) })
  const acceptsWorse = request.accept_worse ?? false
  // The common case needs no quote: the price has not moved since.
  const needsNoQuote = request.quote_id === undefined && (acceptsWorse ? offer >= asked : offer === asked)
  if (offer > 0n && needsNoQuote) return agreeOn(asked)
  const covering = await findCoveringQuote(context.db, {
    id: request.quote_id ?? null,
    source: source.id,
    destination: destination.id,
    sourceAmount,
    destinationAmount: asked,
    extraFeeBips: request.extra_fee_bips,
    now: context.now(),
    app: customer.app,
  })
  if (covering === null && request.quote_id !== undefined)
    throw new TandemError('no_quotes', `quote_id is not an open quote for ${asked} of ${destination.id} or more: take a new quote`)
  // A quote does not know whose order it will be: it does not cover a premium of the owner.
  const isQuotedAlike = premiumBips <= quotedPremiumBips
  const most = offer > 0n ? mostAt(offer, now, now, pricing.priceToleranceBips) : 0n
  if (covering !== null && isQuotedAlike) {
    const better = covering.isExact ? covering.destinationAmount : offer
    const amount = acceptsWorse || better < asked ? asked : better
    if (amount <= most) return agreeOn(amount)
  }
  if (offer > 0n && offer >= asked) return agreeOn(acceptsWorse ? asked : offer)
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
