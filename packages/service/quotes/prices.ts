/** The service's own prices: no swap starts while they are halted, and solvers' quotes must be near them. */
import { divideRoundingUp, type UsdPrice } from '@tandem/protocol/amount.ts'
import type { Asset, AssetId } from '@tandem/protocol/asset.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import type { ServiceContext, ServiceSettings } from '../context.ts'
import type { Bid } from './rank.ts'

const BIPS = 10_000n

/** Throws `chain_unavailable` with the reason. */
export function assertNotHalted({ prices }: Pick<ServiceContext, 'prices'>, source: AssetId, destination: AssetId): void {
  const halt = prices.haltOf(source, destination)
  if (halt !== null) throw new TandemError('chain_unavailable', `no swap of ${source} to ${destination} starts now: ${halt}`)
}

/** Whether `received` is worth more than `sent` at our own prices, by more than a solver's price may differ from them. */
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
 * Why a solver's quote is too far from the service's own prices; null if it is not. The fees that it states are taken off first: they are
 * shown to the user. Both directions count: a quote that is too good is a wrong price too, and its order would be declined.
 */
export function priceProblem(
  bid: Pick<Bid, 'sourceAmount' | 'destinationAmount' | 'feeBips' | 'fixedFeeUsdMicros'>,
  assets: Readonly<Record<Leg, Pick<Asset, 'id' | 'decimals'>>>,
  own: OwnPrices,
): string | null {
  const { source, destination } = assets
  // Prices have 8 decimals, the fee has 6. All are multiplied by the units of both assets, so that nothing is rounded.
  const [perSource, perDestination] = [own.source * 10n ** BigInt(destination.decimals), own.destination * 10n ** BigInt(source.decimals)]
  const given = bid.sourceAmount * perSource
  const taken = bid.destinationAmount * perDestination
  const fixedFee = bid.fixedFeeUsdMicros * 100n * 10n ** BigInt(source.decimals + destination.decimals)
  const expected = given * (BIPS - BigInt(bid.feeBips)) - fixedFee * BIPS
  const distance = taken * BIPS - expected
  // Amounts are whole numbers of the smallest unit: one of each may be rounded off.
  const allowed = given * BigInt(own.maxDeviationBips) + (perSource + perDestination) * BIPS
  if (distance <= allowed && -distance <= allowed) return null
  const bips = given === 0n ? 0n : divideRoundingUp(distance < 0n ? -distance : distance, given)
  return `its price of ${source.id} in ${destination.id} is ${bips} bips ${distance < 0n ? 'below' : 'above'} ours, and at most ${own.maxDeviationBips} are accepted`
}
