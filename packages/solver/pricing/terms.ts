/** Computes the price terms: base spread + volatility over the time at risk + inventory skew + current network fees of both legs. */
import type { PriceRange } from '@tandem/party/prices/judge.ts'
import { divideRoundingUp, type UsdPrice } from '@tandem/protocol/amount.ts'
import type { Asset } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import type { LegCosts } from './leg-costs.ts'
import { FLAT, PPM, type PriceTerms } from './price.ts'
import type { Pricing } from './pricing.ts'
import { type Stock, type StockOf, scarcityPpm, skewLevels } from './skew.ts'

export type PriceContext = {
  readonly registry: Registry
  readonly pricing: Pricing
  readonly stockOf: StockOf
  readonly legCosts: LegCosts
}

export type PriceQuestion = {
  readonly source: Asset
  readonly destination: Asset
  readonly extraFeeBips: number
  readonly premiumBips: number
  /** An indicative price says nothing about inventory. */
  readonly isIndicative: boolean
  /**
   * It is given if the client keeps the secret, and so may choose until the timelock of the destination ends. `openPercent` is the open
   * amount of such payments, in percent of their limit. Otherwise the secret is shown as soon as it is safe.
   */
  readonly clientSecret?: { readonly openPercent: bigint }
  /** Other orders of the same owner would take this amount of the destination before this one. */
  readonly promised?: bigint
}

/** Proportional parts of `terms` are in millionths of the worth of the source. */
export type PriceParts = {
  readonly basePpm: bigint
  readonly volatilityPpm: bigint
  readonly premiumPpm: bigint
  /** It is at most half of the other proportional parts of the solver, so that what the solver keeps stays positive. */
  readonly rebatePpm: bigint
  readonly extraPpm: bigint
  /** The network fee of the solver's redeem, in millionths of a dollar. */
  readonly sourceCost: bigint
  /** The network fees of the solver's initiation and of the redeem that the service sends. */
  readonly destinationCost: bigint
  /** The part of the fixed fee above the costs of both legs. */
  readonly fixed: bigint
}

export type Priced = { readonly terms: PriceTerms; readonly parts: PriceParts }

const PPM_PER_BIP = 100n
const MAX_FEE_PPM = PPM - 1n

/** A request is sent to a node only if a cached value is too old. */
export async function priceTerms(context: PriceContext, question: PriceQuestion): Promise<Priced> {
  const { pricing } = context
  const { source, destination } = question
  const skewPpm = BigInt(pricing.inventorySkewBips) * PPM_PER_BIP
  const usesInventory = !question.isIndicative && skewPpm > 0n
  const [sourceLeg, destinationLeg, sourceStock, destinationStock] = await Promise.all([
    context.legCosts.find(source.id),
    context.legCosts.find(destination.id),
    usesInventory ? context.stockOf(source.id) : null,
    usesInventory ? context.stockOf(destination.id) : null,
  ])
  const basePpm = BigInt(pricing.spreadBips) * PPM_PER_BIP
  const volatilityPpm = volatility(context, question)
  const premiumPpm = BigInt(question.premiumBips) * PPM_PER_BIP
  const extraPpm = BigInt(question.extraFeeBips) * PPM_PER_BIP
  const own = basePpm + volatilityPpm + premiumPpm
  const scarcity = sourceStock === null ? 0n : scarcityPpm(sourceStock, skewPpm)
  const rebatePpm = scarcity < own / 2n ? scarcity : own / 2n
  const charged = (cost: bigint) => divideRoundingUp(cost * pricing.networkCostPercent, 100n)
  const sourceCost = charged(sourceLeg?.redeem ?? 0n)
  const destinationCost = charged(destinationLeg === null ? 0n : destinationLeg.initiate + destinationLeg.paidRedeem)
  const legs = sourceCost + destinationCost
  const fixed = pricing.fixedFeeUsdMicros > legs ? pricing.fixedFeeUsdMicros - legs : 0n
  const feePpm = own - rebatePpm + extraPpm
  return {
    terms: {
      source: { decimals: source.decimals, price: priceOf(pricing, source, 'low') },
      destination: { decimals: destination.decimals, price: priceOf(pricing, destination, 'high') },
      feePpm: feePpm < MAX_FEE_PPM ? feePpm : MAX_FEE_PPM,
      fixedUsdMicros: legs + fixed,
      levels: destinationStock === null ? FLAT : skewLevels(without(destinationStock, question.promised ?? 0n), skewPpm),
    },
    parts: { basePpm, volatilityPpm, premiumPpm, rebatePpm, extraPpm, sourceCost, destinationCost, fixed },
  }
}

function without(stock: Stock, promised: bigint): Stock {
  return { ...stock, available: stock.available > promised ? stock.available - promised : 0n }
}

/** The refusal names no time to wait: a service would ask for no pair at all until such a time. */
function priceOf({ prices }: Pricing, { id }: Asset, end: keyof PriceRange): UsdPrice {
  try {
    return prices.range(id)?.[end] ?? prices.of(id)
  } catch (error) {
    if (!(error instanceof TandemError)) throw error
    throw new TandemError(error.code, error.message, { cause: error })
  }
}

/**
 * Returns a share of one standard deviation over the time in which the user may choose, rounded up. A user who walks away at the end pays
 * nothing then, so a fee that is only paid by users who go on must exceed what the option would cost in advance: with `z` standard
 * deviations an ideal chooser keeps φ(z) − z·(1 − Φ(z)) of one. That is 0.23 at 0.4 and 0.03 at 1.5.
 */
function volatility(context: PriceContext, { source, destination, clientSecret }: PriceQuestion): bigint {
  const { prices, volatilityPercent } = context.pricing
  const waiting = clientSecret === undefined ? 0n : choiceSeconds(context.registry.chain(destination.chain))
  const seconds = secondsAtRisk(context, source, destination) + waiting
  const bips = prices.volatilityBips(source.id, destination.id, Number(seconds))
  const open = clientSecret === undefined || clientSecret.openPercent < 100n ? (clientSecret?.openPercent ?? 0n) : 100n
  const percent = volatilityPercent + divideRoundingUp(volatilityPercent * (FULL_PERCENT - 100n) * open, 10_000n)
  return divideRoundingUp(BigInt(bips) * PPM_PER_BIP * percent, 100n)
}

/** The factor on `volatilityPercent` when client-held secrets are at their limit: 0.4 standard deviations become 1.5. */
const FULL_PERCENT = 375n

/** A client may keep its secret for this long after the solver has paid. */
function choiceSeconds({ clock, timelocks, blockMs }: Chain): bigint {
  const unitMs = { blocks: blockMs, slots: blockMs, seconds: 1000n, milliseconds: 1n }[clock.unit]
  return divideRoundingUp(timelocks.destination * unitMs, 1000n)
}

/** On chains with exact deposits a price holds at most this long: enough to approve and initiate with a wallet. */
const MAX_EXACT_HOLD_SECONDS = 300n

/**
 * Returns how long the price of an order holds for a deposit. The price expires before the deadline, which would otherwise be a free
 * option. Deposits to an address may wait long for a block, so their price holds longer.
 */
export function holdSeconds({ priceHoldSeconds }: Pick<Pricing, 'priceHoldSeconds'>, { deposits }: Chain): bigint {
  return deposits.kind === 'exact' && priceHoldSeconds > MAX_EXACT_HOLD_SECONDS ? MAX_EXACT_HOLD_SECONDS : priceHoldSeconds
}

/**
 * Returns the time from the quote until the price expires and both legs have their usual confirmations. Until then the user may decide not
 * to fund or, where an unconfirmed deposit can be replaced, take it back. It does not depend on the amount, so that exact in and exact out
 * agree.
 */
export function secondsAtRisk(
  { registry, pricing }: Pick<PriceContext, 'registry' | 'pricing'>,
  source: Asset,
  destination: Asset,
): bigint {
  const confirming = [source, destination].reduce((ms, { chain }) => {
    const { requiredConfirmations, blockMs } = registry.chain(chain)
    return ms + BigInt(requiredConfirmations + 1) * blockMs
  }, 0n)
  return pricing.quoteSeconds + holdSeconds(pricing, registry.chain(source.chain)) + divideRoundingUp(confirming, 1000n)
}
