/** The least and the most of the source that the solver can take for one swap of a pair, by its limits and its inventory. */

import type { Asset } from '@tandem/protocol/asset.ts'
import { max, min } from '@tandem/protocol/bigint.ts'
import { type PriceTerms, priceExactOut } from './price.ts'

export type SourceRange = { readonly least: bigint; readonly most: bigint }

/** `most` is 0 if nothing can be taken. Exact: `least` and `most` can be quoted, and one unit less or more cannot. */
export function sourceRange(terms: PriceTerms, source: Asset, destination: Asset, available: bigint): SourceRange {
  const payable = available < destination.maxAmount ? available : destination.maxAmount
  const least = max(source.minAmount, priceExactOut(terms, max(destination.minAmount, 1n)))
  // What buys one unit more is the first amount that is too large.
  const most = min(source.maxAmount, priceExactOut(terms, payable + 1n) - 1n)
  return { least, most: most < least ? 0n : most }
}
