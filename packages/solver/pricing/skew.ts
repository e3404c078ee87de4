/** Computes inventory skew: a scarce asset costs more, and a scarce source earns a rebate. */
import { divideRoundingUp } from '@tandem/protocol/amount.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Inventory } from '../inventory.ts'
import type { Level } from './price.ts'

export type Stock = {
  readonly available: bigint
  /** The amount that the solver wants to hold. */
  readonly target: bigint
}

/** The surcharge is `percent` of its maximum until `used` percent of the target is used up. */
const STEPS = [
  { used: 50n, percent: 0n },
  { used: 75n, percent: 25n },
  { used: 90n, percent: 50n },
] as const

/** The destination inventory in levels: amounts above half of the target have no surcharge, the last tenth has all of it. */
export function skewLevels({ available, target }: Stock, maxPpm: bigint): readonly Level[] {
  const steps = STEPS.map(({ used, percent }) => ({
    // Rounding down ends the level early, in favour of the solver, because the user chooses the amount.
    upTo: available - divideRoundingUp(target * (100n - used), 100n),
    ppm: (maxPpm * percent) / 100n,
  }))
  return [...steps.filter(({ upTo }) => upTo > 0n), { upTo: null, ppm: maxPpm }]
}

/** The surcharge on the next unit of this asset as a destination, which is also its rebate as a source. */
export function scarcityPpm(stock: Stock, maxPpm: bigint): bigint {
  return skewLevels(stock, maxPpm)[0]?.ppm ?? maxPpm
}

export type StockOf = (asset: AssetId) => Promise<Stock>

/** Without a target, the greatest inventory since the start is the target. */
export function createStockReader(inventory: Pick<Inventory, 'available'>, targets: Readonly<Record<AssetId, bigint>>): StockOf {
  const maxSeen = new Map<AssetId, bigint>()
  return async (asset) => {
    const available = await inventory.available(asset)
    const seen = maxSeen.get(asset) ?? 0n
    if (available > seen) maxSeen.set(asset, available)
    return { available, target: targets[asset] ?? (available > seen ? available : seen) }
  }
}
