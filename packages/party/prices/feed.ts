/** The price feed as the parties use it. All answers come from memory: no call waits for a source. */
import type { UsdPrice } from '@tandem/protocol/amount.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { PriceRange } from './judge.ts'

export interface PriceFeed {
  find(asset: AssetId): UsdPrice | null
  /**
   * A party that pays values what it takes at `low` and what it gives at `high`. With three fresh sources both are the price. With fewer, a
   * lying source can only make a swap worse for the user.
   */
  range(asset: AssetId): PriceRange | null
  /** Throws `unsupported_pair` for an asset without a market, and `chain_unavailable` if its price is unknown at the moment. */
  of(asset: AssetId): UsdPrice
  /** Returns in one line why no swap between the two may start now; null if one may. */
  haltOf(a: AssetId, b: AssetId): string | null
  /** Returns one standard deviation of the exchange rate over this time, rounded up. */
  volatilityBips(a: AssetId, b: AssetId, seconds: number): number
  view(): readonly MarketView[]
  stop(): Promise<void>
}

export type MarketView = {
  /** The name that the sources use, such as `BTC`; for a fixed price the id of the asset. */
  readonly market: string
  readonly assets: readonly AssetId[]
  readonly price: UsdPrice | null
  readonly problem: string | null
  readonly readings: readonly ReadingView[]
}

export type ReadingView = {
  readonly source: string
  readonly price: UsdPrice | null
  readonly ageSeconds: number | null
  readonly problem: string | null
}
