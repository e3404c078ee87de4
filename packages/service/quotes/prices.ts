/** No swap starts while the service's own prices are halted, and solvers' quotes must be near them. */
import { divideRoundingUp, type UsdPrice } from '@tandem/protocol/amount.ts'
import type { Asset, AssetId } from '@tandem/protocol/asset.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import type { ServiceContext, ServiceSettings } from '../context.ts'
import type { Bid } from './rank.ts'

const BIPS = 10_000n

/** Throws `chain_unavailable` with the reason of the halt. */
export function assertNotHalted({ prices }: Pick<ServiceContext, 'prices'>, source: AssetId, destination: AssetId): void {
  const halt = prices.haltOf(source, destination)
  if (halt !== null) throw new TandemError('chain_unavailable', `no swap of ${source} to ${destination} starts now: ${halt}`)
}

/** Returns true if `received` is worth more than `sent` at the service's own prices by more than the tolerance for solvers' prices. */
export function isWorthTooMuch(
  { prices, settings }: Pick<ServiceContext, 'prices'> & { readonly settings: Pick<ServiceSettings, 'maxQuoteDeviationBips'> },
  { source, destination }: Readonly<Record<Leg, Pick<Asset, 'id' | 'decimals'>>>,
  sent: bigint,
  received: bigint,
): boolean {
  const given = sent * prices.of(source.id) * 10n ** BigInt(destination.decimals)
  const taken = received * prices.of(destination.id) * 10n ** BigInt(source.decimals)
  return taken * BIPS > given * (BIPS + BigInt(settings.maxQuoteDeviationBips))
}

export type OwnPrices = Readonly<Record<Leg, UsdPrice>> & { readonly maxDeviationBips: number }

/**
 * Returns why a solver's quote is too far from the service's own prices, or null if it is not. The stated fees are subtracted first,
 * because the user sees them. Both directions count: a quote that is too good is a wrong price too, and its order would be declined.
 */
export function priceProblem(
  bid: Pick<Bid, 'sourceAmount' | 'destinationAmount' | 'feeBips' | 'fixedFeeUsdMicros'>,
  assets: Readonly<Record<Leg, Pick<Asset, 'id' | 'decimals'>>>,
  own: OwnPrices,
): string | null {
  const { source, destination } = assets
  // Prices have 8 decimals, the fee has 6. Everything is multiplied by the units of both assets, so that nothing is rounded.
  const [perSource, perDestination] = [own.source * 10n ** BigInt(destination.decimals), own.destination * 10n ** BigInt(source.decimals)]
  const given = bid.sourceAmount * perSource
  const taken = bid.destinationAmount * perDestination
  const fixedFee = bid.fixedFeeUsdMicros * 100n * 10n ** BigInt(source.decimals + destination.decimals)
  const expected = given * (BIPS - BigInt(bid.feeBips)) - fixedFee * BIPS
  const distance = taken * BIPS - expected
  // Amounts are whole numbers of the smallest unit, so rounding may take one unit of each.
  const allowed = given * BigInt(own.maxDeviationBips) + (perSource + perDestination) * BIPS
  if (distance <= allowed && -distance <= allowed) return null
  const bips = given === 0n ? 0n : divideRoundingUp(distance < 0n ? -distance : distance, given)
  return `its price of ${source.id} in ${destination.id} is ${bips} bips ${distance < 0n ? 'below' : 'above'} ours, and at most ${own.maxDeviationBips} are accepted`
}

export function extraFeeBips(settings: ServiceSettings, affiliateFeeBips: number, field: string): number {
  if (affiliateFeeBips > settings.maxAffiliateFeeBips) {
    throw new TandemError('bad_request', `${field} must be at most ${settings.maxAffiliateFeeBips} bips in all, got ${affiliateFeeBips}`)
  }
  return settings.serviceFeeBips + affiliateFeeBips
}
