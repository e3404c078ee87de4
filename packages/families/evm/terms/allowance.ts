/** How much of a token of ours an HTLC may be allowed to take. */

import type { Asset, AssetId } from '@tandem/protocol/asset.ts'
import { max } from '@tandem/protocol/bigint.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'

/**
 * One approval covers four of the largest swaps, which are hundreds of usual ones: a fault of the HTLC can take that much and not the whole inventory, and
 * few locks need an approval, for 50,000 gas, before them. The amount is the same for all orders of an asset, so that those of one moment share an approval.
 */
const LARGEST_SWAPS = 4n

/** The highest allowance for an order, in the unit of its amount. It is also what we approve. */
export type AllowanceOf = (terms: Pick<HtlcTerms, 'asset' | 'amount'>) => bigint

export function allowancesOf(assets: readonly Pick<Asset, 'id' | 'maxAmount'>[]): AllowanceOf {
  const largest = new Map<AssetId, bigint>(assets.map(({ id, maxAmount }) => [id, maxAmount]))
  return ({ asset, amount }) => max(LARGEST_SWAPS * (largest.get(asset) ?? 0n), amount)
}
