/** An operator may set its own minimum and maximum amounts per order. */
import type { Asset, AssetId } from '../asset.ts'

export type Limits = Readonly<Record<AssetId, { readonly min?: bigint; readonly max?: bigint }>>

export function applyLimits(assets: readonly Asset[], limits: Limits): readonly Asset[] {
  return assets.map((asset) => {
    const { min, max } = limits[asset.id] ?? {}
    return { ...asset, minAmount: min ?? asset.minAmount, maxAmount: max ?? asset.maxAmount }
  })
}
