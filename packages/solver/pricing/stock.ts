/** The inventory of an asset against what the solver wants to hold of it. */
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Inventory } from '../inventory.ts'
import type { Stock } from './skew.ts'

export type StockOf = (asset: AssetId) => Promise<Stock>

/** One entry per asset of the registry, because others have no inventory. */
export function createStockReader(inventory: Pick<Inventory, 'available'>, targets: Readonly<Record<AssetId, bigint>>): StockOf {
  const greatest = new Map<AssetId, bigint>()
  return async (asset) => {
    const available = await inventory.available(asset)
    const seen = greatest.get(asset) ?? 0n
    if (available > seen) greatest.set(asset, available)
    return { available, target: targets[asset] ?? (available > seen ? available : seen) }
  }
}
