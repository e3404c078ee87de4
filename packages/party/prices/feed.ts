/** What the parties ask about prices. All answers come from memory: no call waits for a source. */
import type { UsdPrice } from '@tandem/protocol/amount.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { PriceRange } from './judge.ts'

export interface PriceFeed {
  /** Null if the asset has no price that may be used now. */
  find(asset: AssetId): UsdPrice | null
  /**
   * For a party that pays: it values what it takes at `low` and what it gives at `high`. Both are the price if at least three sources stand for it; with
   * fewer, one that lies could only make a swap worse for the user.
   */
  range(asset: AssetId): PriceRange | null
  /** Throws `unsupported_pair` if the asset is not priced here, `chain_unavailable` if its price is unknown at the moment. */
  of(asset: AssetId): UsdPrice
  /** Why no swap between the two may start now; null if it may. One line. */
  haltOf(a: AssetId, b: AssetId): string | null
  /** How far the exchange rate of the two usually moves within so many seconds: one standard deviation, rounded up. */
  volatilityBips(a: AssetId, b: AssetId, seconds: number): number
  /** Every market with its assets and the last reading of each source, for the operator. */
  view(): readonly MarketView[]
  stop(): Promise<void>
}

export type MarketView = {
  /** What the sources are asked about, such as `BTC`; for a fixed price the id of the asset. */
  readonly market: string
  readonly assets: readonly AssetId[]
  readonly price: UsdPrice | null
  /** Why the price may not be used, one line. */
  readonly problem: string | null
  readonly readings: readonly ReadingView[]
}

export type ReadingView = {
  readonly source: string
  readonly price: UsdPrice | null
  readonly ageSeconds: number | null
  /** Why the source does not count at the moment, one line. */
  readonly problem: string | null
}
