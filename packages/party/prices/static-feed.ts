/** Fixed prices from the configuration. They never move, and never halt a pair. */
import type { UsdPrice } from '@tandem/protocol/amount.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { PriceFeed } from './feed.ts'

/** A price of 0 means that there is none. */
export function createStaticFeed(table: Readonly<Record<AssetId, UsdPrice>>): PriceFeed {
  const prices = new Map(Object.entries(table).filter(([, price]) => price > 0n) as [AssetId, UsdPrice][])
  return {
    find: (asset) => prices.get(asset) ?? null,
    range(asset) {
      const price = prices.get(asset)
      return price === undefined ? null : { low: price, high: price }
    },
    of(asset) {
      const price = prices.get(asset)
      if (price === undefined) throw new TandemError('unsupported_pair', `there is no price for ${asset} here`)
      return price
    },
    haltOf: () => null,
    volatilityBips: () => 0,
    view: () => [...prices].map(([asset, price]) => ({ market: asset, assets: [asset], price, problem: null, readings: [] })),
    stop: async () => undefined,
  }
}
