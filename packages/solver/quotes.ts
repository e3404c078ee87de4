/** Quotes the price of a swap, and holds its amount for the quote softly. */
import { randomUUID } from 'node:crypto'
import type { Database } from '@tandem/party/store/database/database.ts'
import type { QuoteWriter } from '@tandem/party/store/solver/quotes.ts'
import { divideRoundingUp, parseAmount } from '@tandem/protocol/amount.ts'
import type { Asset, AssetId } from '@tandem/protocol/asset.ts'
import { requiredConfirmations } from '@tandem/protocol/confirmations.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { assertSameListing } from '@tandem/protocol/registry/listing-digest.ts'
import { assertTimelocksSafe } from '@tandem/protocol/timelock.ts'
import type { SolverQuote, SolverQuoteRequest } from '@tandem/protocol/wire/solver.ts'
import type { Caller } from './authenticate.ts'
import type { Inventory } from './inventory.ts'
import { explainQuote, feeBipsOf, type QuotedAmounts, sourceRange } from './pricing/parts.ts'
import { type PriceTerms, priceExactIn, priceExactOut } from './pricing/price.ts'
import { type PriceContext, type Priced, priceTerms } from './pricing/terms.ts'
import { customerOf } from './risk/customers.ts'
import { type Risk, worthOf } from './risk/risk.ts'
import { holdersOfQuote, ownOfQuote, type SoftReservations } from './soft-reservations.ts'

export type QuoteContext = PriceContext & {
  readonly db: Database
  readonly quoteWriter: QuoteWriter
  readonly inventory: Inventory
  readonly soft: SoftReservations
  readonly risk: Risk
  readonly solverId: string
  readonly now: () => bigint
}

export async function quote(context: QuoteContext, request: SolverQuoteRequest, caller: Caller): Promise<SolverQuote> {
  const { registry, pricing } = context
  assertSameListing(registry, request.from, request.from_listing)
  assertSameListing(registry, request.to, request.to_listing)
  const source = registry.asset(request.from)
  const destination = registry.asset(request.to)
  const [sourceChain, destinationChain] = [registry.chain(source.chain), registry.chain(destination.chain)]
  assertTimelocksSafe(sourceChain, destinationChain)
  const customer = customerOf(request, caller)
  const priced = await priceTerms(context, {
    source,
    destination,
    extraFeeBips: request.extra_fee_bips,
    // The owner of the order is not known yet.
    premiumBips: context.risk.premiumBips({ ...customer, clientSecret: false }),
    isIndicative: request.indicative,
    ...(request.client_secret === true && { clientSecret: context.risk.clientSecret() }),
  })
  const quoted = amounts(priced.terms, request)
  const { sourceAmount, destinationAmount } = quoted
  if (destinationAmount === 0n)
    throw new TandemError('amount_out_of_range', `fees would take all of ${sourceAmount} ${source.id}: ask for a larger amount`)
  const usdMicros = worthOf(priced.terms.destination.price, destination, destinationAmount)
  if (!request.indicative) context.risk.assertBelowUnfinalCap(source.chain, usdMicros)
  if (!request.indicative) await assertLiquidity(context, destination.id, destinationAmount, ownOfQuote(customer), 'insufficient_liquidity')
  const expiresAt = context.now() + pricing.quoteSeconds
  const id = randomUUID()
  if (!request.indicative) {
    caller.assertInTime()
    context.soft.hold({
      key: `${customer.app} ${source.id} ${destination.id} ${destinationAmount}`,
      holders: holdersOfQuote(customer),
      asset: destination.id,
      amount: (destinationAmount * context.risk.heldPercent(customer)) / 100n,
      expiresAt,
    })
    context.risk.noteQuote(customer, usdMicros)
    await context.quoteWriter.write({
      id,
      source: source.id,
      destination: destination.id,
      sourceAmount,
      destinationAmount,
      extraFeeBips: request.extra_fee_bips,
      expiresAt,
      app: customer.app,
      clientSecret: request.client_secret ?? false,
    })
  }
  const blocks = (confirmations: number, chain: typeof sourceChain) => divideRoundingUp(BigInt(confirmations) * chain.blockMs, 1000n)
  return {
    solver_id: context.solverId,
    quote_id: id,
    source_amount: sourceAmount.toString(),
    destination_amount: destinationAmount.toString(),
    fee_bips: feeBipsOf(priced, quoted),
    fixed_fee_usd_micros: priced.terms.fixedUsdMicros.toString(),
    estimated_time: Number(
      blocks(requiredConfirmations(sourceChain, source, sourceAmount, 'source'), sourceChain) +
        blocks(requiredConfirmations(destinationChain, destination, destinationAmount, 'destination') + 1, destinationChain),
    ),
    expires_at: Number(expiresAt),
    ...(request.explain === true && (await explanation(context, priced, quoted, source, destination))),
  }
}

async function explanation(
  { inventory }: QuoteContext,
  priced: Priced,
  quoted: QuotedAmounts,
  source: Asset,
  destination: Asset,
): Promise<Pick<SolverQuote, 'parts' | 'source_range'>> {
  const range = sourceRange(priced.terms, source, destination, await inventory.available(destination.id))
  return { parts: explainQuote(priced, quoted), source_range: { min: range.min.toString(), max: range.max.toString() } }
}

/**
 * Returns the free amount, and throws if the inventory does not suffice. `own` names the soft reservations that the caller may use: those
 * of others are left to them. `held` is the error code where only the reservations of others are in the way.
 */
export async function assertLiquidity(
  { inventory, soft }: Pick<QuoteContext, 'inventory' | 'soft'>,
  asset: AssetId,
  amount: bigint,
  own: readonly string[],
  held: 'insufficient_liquidity' | 'conflict',
): Promise<bigint> {
  const free = await inventory.available(asset)
  if (free < amount)
    throw new TandemError('insufficient_liquidity', `the solver cannot pay ${amount} of ${asset}, only ${free}: ask for less, or later`)
  const others = soft.heldByOthers(asset, own, free)
  if (free - others < amount)
    throw new TandemError(
      held,
      `the solver cannot pay ${amount} of ${asset} now: ${free - others} available, ${others} held for other orders`,
    )
  return free
}

function amounts(terms: PriceTerms, request: SolverQuoteRequest): QuotedAmounts {
  if (request.from_amount !== undefined && request.to_amount === undefined) {
    const sourceAmount = parseAmount(request.from_amount, 'from_amount')
    return { sourceAmount, destinationAmount: priceExactIn(terms, sourceAmount) }
  }
  if (request.to_amount !== undefined && request.from_amount === undefined) {
    const destinationAmount = parseAmount(request.to_amount, 'to_amount')
    return { sourceAmount: priceExactOut(terms, destinationAmount), destinationAmount }
  }
  throw new TandemError('bad_request', 'exactly one of from_amount and to_amount must be given')
}
