/** The price of one whole coin of each asset in US dollars. */
import type { UsdPrice } from '../../protocol/amount.ts'
import type { AssetId } from '../../protocol/asset.ts'
import { TandemError } from '../../protocol/error.ts'

export interface Prices {
  /** Null if the asset has no price. */
  find(asset: AssetId): UsdPrice | null
  /** Throws `unsupported_pair` if the asset has no price. */
  of(asset: AssetId): UsdPrice
}

export function createPrices(table: Readonly<Record<AssetId, UsdPrice>>): Prices {
  const find = (asset: AssetId): UsdPrice | null => table[asset] ?? null
  return {
    find,
    of(asset) {
      const price = find(asset)
      if (price === null) throw new TandemError('unsupported_pair', `asset "${asset}" has no price here at the moment`)
      return price
    },
  }
}
