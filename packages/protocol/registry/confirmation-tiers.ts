/** Confirmations by amount: the tiers of the registry where no asset has its own, and what an operator adds to them. */
import type { Asset, AssetId, ConfirmationTier } from '../asset.ts'
import type { Chain } from '../chain.ts'

/**
 * On EVM chains a larger amount waits longer: twice as many blocks from a tenth of the largest swap on, five times as many from half of it on. What could
 * undo them is a fault of a sequencer or of many validators, which a longer wait shows.
 */
const EVM_TIERS = [
  { part: 10n, times: 2 },
  { part: 2n, times: 5 },
] as const

/** Assets of EVM chains that have no tiers get those of their chain. */
export function withEvmTiers(chains: readonly Chain[], assets: readonly Asset[]): readonly Asset[] {
  return assets.map((asset) => {
    const chain = chains.find(({ id }) => id === asset.chain)
    if (chain?.family !== 'evm' || asset.confirmationTiers !== undefined) return asset
    const { requiredConfirmations, finalityBlocks } = chain
    const raised = EVM_TIERS.map(({ part, times }) => ({
      from: asset.maxAmount / part,
      // What is final needs no longer wait.
      confirmations: Math.min(requiredConfirmations * times, finalityBlocks),
    }))
    return { ...asset, confirmationTiers: [{ from: 0n, confirmations: requiredConfirmations }, ...raised] }
  })
}

/** By asset, ascending. */
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
