/** Quotes the price of a swap. */
import { randomUUID } from 'node:crypto'
import type { PriceFeed } from '../prices/feed.ts'
import { divideRoundingUp, parseAmount } from '../protocol/amount.ts'
import type { Asset, AssetId } from '../protocol/asset.ts'
import { requiredConfirmations } from '../protocol/confirmations.ts'
import { TandemError } from '../protocol/error.ts'
import type { Registry } from '../protocol/registry/registry.ts'
import { assertTimelocksSafe } from '../protocol/timelock.ts'
import type { SolverQuote, SolverQuoteRequest } from '../protocol/wire/solver.ts'
import type { Database } from '../store/database/database.ts'
import type { QuoteWriter } from '../store/solver/quotes.ts'
import type { Inventory } from './inventory.ts'
import { type PriceTerms, priceExactIn, priceExactOut } from './pricing.ts'
import type { Risk } from './risk/risk.ts'

export type Pricing = {
  readonly prices: PriceFeed
  readonly spreadBips: number
  readonly fixedFeeUsdMicros: bigint
  readonly quoteSeconds: bigint
  /** How long after an order is made its price holds for a deposit. */
  readonly priceHoldSeconds: bigint
}

export type QuoteContext = {
  readonly db: Database
  readonly quoteWriter: QuoteWriter
  readonly registry: Registry
  readonly inventory: Inventory
  readonly risk: Risk
  readonly pricing: Pricing
  readonly solverId: string
  readonly now: () => bigint
}

export async function quote(context: QuoteContext, request: SolverQuoteRequest): Promise<SolverQuote> {
  const { registry, pricing } = context
  const source = registry.asset(request.from)
  const destination = registry.asset(request.to)
  const [sourceChain, destinationChain] = [registry.chain(source.chain), registry.chain(destination.chain)]
  assertTimelocksSafe(sourceChain, destinationChain)
  const terms = priceTerms(pricing, source, destination, request.extra_fee_bips)
  const { sourceAmount, destinationAmount } = amounts(terms, request)
  if (destinationAmount === 0n) throw new TandemError('amount_out_of_range', `fees would take all of ${sourceAmount} ${source.id}`)
  if (!request.indicative) await assertLiquidity(context, destination.id, destinationAmount)
  const expiresAt = context.now() + pricing.quoteSeconds
  const id = randomUUID()
  if (!request.indicative) {
    await context.quoteWriter.write({
      id,
      source: source.id,
      destination: destination.id,
      sourceAmount,
      destinationAmount,
      extraFeeBips: request.extra_fee_bips,
      expiresAt,
    })
  }
  const blocks = (confirmations: number, chain: typeof sourceChain) => divideRoundingUp(BigInt(confirmations) * chain.blockMs, 1000n)
  return {
    solver_id: context.solverId,
    quote_id: id,
    source_amount: sourceAmount.toString(),
    destination_amount: destinationAmount.toString(),
    fee_bips: terms.feeBips,
    fixed_fee_usd_micros: pricing.fixedFeeUsdMicros.toString(),
    estimated_time: Number(
      blocks(requiredConfirmations(sourceChain, source, sourceAmount, 'source'), sourceChain) +
        blocks(requiredConfirmations(destinationChain, destination, destinationAmount, 'destination') + 1, destinationChain),
    ),
    expires_at: Number(expiresAt),
  }
}

export function priceTerms(pricing: Pricing, source: Asset, destination: Asset, extraFeeBips: number): PriceTerms {
  return {
    source: { decimals: source.decimals, price: pricing.prices.of(source.id) },
    destination: { decimals: destination.decimals, price: pricing.prices.of(destination.id) },
    feeBips: pricing.spreadBips + extraFeeBips,
    fixedFeeUsdMicros: pricing.fixedFeeUsdMicros,
  }
}

export async function assertLiquidity({ inventory }: Pick<QuoteContext, 'inventory'>, asset: AssetId, amount: bigint): Promise<void> {
  const available = await inventory.available(asset)
  if (available < amount) throw new TandemError('insufficient_liquidity', `cannot pay ${amount} of ${asset}: ${available} available`)
}

export function isPriced({ prices }: Pricing, asset: AssetId): boolean {
  return prices.find(asset) !== null
}

function amounts(terms: PriceTerms, request: SolverQuoteRequest): { readonly sourceAmount: bigint; readonly destinationAmount: bigint } {
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
