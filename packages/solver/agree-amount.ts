/** Decides how much the solver agrees to pay for an order, and records the prices behind that amount. */

import { findCoveringQuote, takeQuote } from '@tandem/party/store/solver/quotes.ts'
import { parseAmount } from '@tandem/protocol/amount.ts'
import { QuoteUsed, TandemError } from '@tandem/protocol/error.ts'
import type { SolverOrderRequest } from '@tandem/protocol/wire/solver.ts'
import type { Caller } from './authenticate.ts'
import { priceExactIn } from './pricing/price.ts'
import { impliedPrices, maxAmountAt, type Prices } from './pricing/price-limit.ts'
import { priceTerms } from './pricing/terms.ts'
import type { QuoteContext } from './quotes.ts'
import { customerOf } from './risk/customers.ts'
import { promisedTo } from './soft-reservations.ts'

export type AgreedAmount = {
  readonly amount: bigint
  /** A reason that lies with this customer for less than an open quote; null if it is not less, or if the price moved too far. */
  readonly belowQuote: string | null
  readonly prices: Prices
}

/**
 * The solver never agrees to less than the request, except within the user's slippage. If an open quote covers the order and the price has
 * not moved beyond the solver's own limit, the quoted amount counts; otherwise the amount at the current price. A user who accepts less
 * gets no more than the request.
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
  const clientSecret = request.client_secret ?? false
  const premiumBips = context.risk.premiumBips({ ...customer, clientSecret })
  const quotedPremiumBips = context.risk.premiumBips({ ...customer, owner: null, clientSecret: false })
  const priceFor = async (promised: bigint) =>
    (
      await priceTerms(context, {
        source,
        destination,
        extraFeeBips: request.extra_fee_bips,
        premiumBips,
        isIndicative: false,
        promised,
        ...(clientSecret && { clientSecret: context.risk.clientSecret() }),
      })
    ).terms
  // Several orders of one owner cost what one order of their sum would, so splitting saves no surcharge. An amount equal to this request is
  // exempt: the owner may just be trying again.
  const held = promisedTo(context.soft, destination.id, customer)
  const promised = held > asked ? held - asked : 0n
  const terms = await priceFor(promised)
  const now = { source: terms.source.price, destination: terms.destination.price }
  const offer = priceExactIn(terms, sourceAmount)
  const agreeOn = (amount: bigint, belowQuote: string | null = null): AgreedAmount => ({
    amount,
    belowQuote,
    prices: impliedPrices(now, amount, offer),
  })
  const acceptsWorse = request.accept_worse ?? false
  // In the common case the price has not moved since the quote, so no quote is needed.
  const needsNoQuote = request.quote_id === undefined && (acceptsWorse ? offer >= asked : offer === asked)
  if (offer > 0n && needsNoQuote) return agreeOn(asked)
  const covered = {
    id: request.quote_id ?? null,
    source: source.id,
    destination: destination.id,
    sourceAmount,
    destinationAmount: asked,
    extraFeeBips: request.extra_fee_bips,
    now: context.now(),
    app: customer.app,
    clientSecret,
    orderId: request.order_id,
  }
  const covering = await findCoveringQuote(context.db, covered)
  if (covering === null && request.quote_id !== undefined)
    throw new TandemError(
      'no_quotes',
      `quote_id is not an open quote for ${asked} of ${destination.id} or more${clientSecret ? ' with client_secret=true' : ''}: take a new quote`,
    )
  // A quote does not know whose order it will be: it covers no premium of the owner, and no surcharge for its other orders.
  const isSurcharged = promised > 0n && priceExactIn(await priceFor(0n), sourceAmount) > offer
  const isQuotedAlike = premiumBips <= quotedPremiumBips && !isSurcharged
  const maxAmount = offer > 0n ? maxAmountAt(offer, now, now, pricing.priceToleranceBips) : 0n
  let isTaken = false
  if (covering !== null && isQuotedAlike) {
    const better = covering.isExact ? covering.destinationAmount : offer
    const amount = acceptsWorse || better < asked ? asked : better
    if (amount <= offer) return agreeOn(amount)
    isTaken = amount <= maxAmount && !(await takeQuote(context.db, { ...covered, destinationAmount: amount }))
    if (amount <= maxAmount && !isTaken) return agreeOn(amount)
  }
  // These reasons lie with the customer, who can repeat them at no cost: they must not look as if the solver broke a quote.
  const belowQuote = isTaken
    ? `another order was made with this quote: ${covering?.destinationAmount ?? asked} of ${destination.id} was quoted, the price is now ${offer}`
    : isQuotedAlike
      ? null
      : premiumBips > quotedPremiumBips
        ? `earlier orders of this owner add ${premiumBips - quotedPremiumBips} hundredths of a percent to the price: ask for ${offer} of ${destination.id} or less`
        : `unfunded orders of this owner hold ${held} of ${destination.id}: ask for ${offer} or less, or wait until their price has expired`
  if (offer > 0n && offer >= asked) return agreeOn(acceptsWorse ? asked : offer, belowQuote)
  const minAmount = asked - (asked * BigInt(request.slippage_bips)) / 10_000n
  if (offer === 0n || offer < minAmount) {
    if (isTaken && belowQuote !== null) throw new QuoteUsed(`${belowQuote}: take a new quote, or allow more slippage`, offer.toString())
    if (belowQuote !== null) throw new TandemError('conflict', belowQuote)
    throw new TandemError(
      'price_moved',
      `destination.amount ${asked} was asked for, the price is now ${offer} of ${destination.id}: take a new quote${clientSecret ? ', with client_secret=true' : ''}`,
    )
  }
  return agreeOn(offer, belowQuote)
}
