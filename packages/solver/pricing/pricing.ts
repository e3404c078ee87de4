/** Reads the solver's price settings from its configuration. */
import type { SolverConfig } from '@tandem/party/config/schema.ts'
import type { PriceFeed } from '@tandem/party/prices/feed.ts'
import { parseUsdMicros } from '@tandem/protocol/amount.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'

export type Pricing = {
  readonly prices: PriceFeed
  readonly spreadBips: number
  /** The minimum charge for network fees. If both legs cost more at current fees, that is charged. */
  readonly fixedFeeUsdMicros: bigint
  readonly quoteSeconds: bigint
  /** The price of an order holds for a deposit for this long. */
  readonly priceHoldSeconds: bigint
  /** When the solver pays, the price may have moved against it by this much. */
  readonly priceToleranceBips: number
  /** The share of one standard deviation over the time at risk that is charged. */
  readonly volatilityPercent: bigint
  /** The share of the current network fees of both legs that is charged. */
  readonly networkCostPercent: bigint
  /** The surcharge on the last tenth of an asset's inventory. */
  readonly inventorySkewBips: number
  /** Targets are in the smallest unit. Without one, the greatest inventory since the start is the target. */
  readonly inventoryTargets: Readonly<Record<AssetId, bigint>>
  /** These amounts are never quoted, in the smallest unit. Without one, the reserve is computed from the network fees. */
  readonly feeReserves: Readonly<Record<AssetId, bigint>>
}

/** With 10-minute blocks, 95 % of blocks arrive within this time. */
const DEFAULT_PRICE_HOLD_SECONDS = 1800
/**
 * An option at the money costs 0.4 standard deviations. Until the solver is paid, the user has such an option: it need not fund the order,
 * nor show the secret.
 */
const DEFAULT_VOLATILITY_PERCENT = 40
const DEFAULT_NETWORK_COST_PERCENT = 100
const DEFAULT_PRICE_TOLERANCE_BIPS = 200
const DEFAULT_INVENTORY_SKEW_BIPS = 50

export function readPricing(config: SolverConfig, prices: PriceFeed): Pricing {
  const { pricing = {} } = config
  return {
    prices,
    spreadBips: config.spread_bips,
    fixedFeeUsdMicros: parseUsdMicros(config.fixed_fee_usd),
    quoteSeconds: BigInt(config.quote_seconds),
    priceHoldSeconds: BigInt(config.price_hold_seconds ?? DEFAULT_PRICE_HOLD_SECONDS),
    priceToleranceBips: pricing.price_tolerance_bips ?? DEFAULT_PRICE_TOLERANCE_BIPS,
    volatilityPercent: BigInt(pricing.volatility_percent ?? DEFAULT_VOLATILITY_PERCENT),
    networkCostPercent: BigInt(pricing.network_cost_percent ?? DEFAULT_NETWORK_COST_PERCENT),
    inventorySkewBips: pricing.inventory_skew_bips ?? DEFAULT_INVENTORY_SKEW_BIPS,
    inventoryTargets: amountsOf(pricing.inventory_targets),
    feeReserves: amountsOf(pricing.fee_reserves),
  }
}

function amountsOf(amounts: Readonly<Record<string, string>> = {}): Readonly<Record<AssetId, bigint>> {
  return Object.fromEntries(Object.entries(amounts).map(([asset, amount]) => [asset, BigInt(amount)]))
}
