/** Adds an operator's confirmation tiers to those of the registry. */
import type { Asset, AssetId, ConfirmationTier } from '../asset.ts'
import type { Chain } from '../chain.ts'

/** The tiers of each asset are ascending. */
export type OperatorTiers = Readonly<Record<AssetId, readonly ConfirmationTier[]>>

/** An operator may ask for more confirmations than the registry, never for fewer. */
export function raiseTiers(chains: readonly Chain[], assets: readonly Asset[], tiers: OperatorTiers): readonly Asset[] {
  return assets.map((asset) => {
    const asked = tiers[asset.id]
    const chain = chains.find(({ id }) => id === asset.chain)
    if (asked === undefined || chain === undefined) return asset
    const known = asset.confirmationTiers ?? [{ from: 0n, confirmations: chain.requiredConfirmations }]
    const at = (list: readonly ConfirmationTier[], amount: bigint) => list.findLast(({ from }) => amount >= from)?.confirmations ?? 0
    const steps = [...new Set([...known, ...asked].map(({ from }) => from))].sort((a, b) => (a < b ? -1 : 1))
    return { ...asset, confirmationTiers: steps.map((from) => ({ from, confirmations: Math.max(at(known, from), at(asked, from)) })) }
  })
}
