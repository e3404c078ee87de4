/** Price sources are asked for these markets of assets. */
import type { AssetId } from '../asset.ts'
import type { Registry } from './registry.ts'

/** The map has the market of every asset of the served chains, and of the coins that pay for fees there, which may not be assets. */
export function marketsOf({ assets, chains, isServed }: Registry): ReadonlyMap<AssetId, string> {
  const served = chains.filter(({ id }) => isServed(id))
  const coins = served.map(({ nativeAsset }) => [nativeAsset, nativeAsset.slice(nativeAsset.indexOf(':') + 1).toUpperCase()] as const)
  const listed = assets.filter(({ chain }) => isServed(chain)).map(({ id, market }) => [id, market] as const)
  return new Map<AssetId, string>([...coins, ...listed])
}
