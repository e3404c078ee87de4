/** Reads what an account holds of an asset from the user's own node. */
import type { Balance } from '@tandem/chain-kit/browser/family.ts'
import { loadFamily } from '@tandem/families/browser.ts'
import { addressOn } from '../families/parse-address.ts'
import { pinnedAsset } from '../verify/pinned.ts'
import { nodeOf, type SwapContext } from './context.ts'

/** The result is null if no node of the chain is known, or the family reads no balances. */
export async function balanceOf(context: SwapContext, assetId: string, address: string, signal?: AbortSignal): Promise<Balance | null> {
  const pinned = await pinnedAsset(assetId, context.options.deployments ?? {}, context.options.registry)
  const family = await loadFamily(pinned.chain.family)
  const node = nodeOf(context, pinned.chain, signal)
  if (node === null || family.balanceOf === undefined) return null
  return family.balanceOf(pinned, addressOn(family, pinned.chain, address), node)
}
