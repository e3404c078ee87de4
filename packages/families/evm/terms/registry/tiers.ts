/** Gives each asset its confirmations by amount. */
import type { Asset } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'

/**
 * A larger amount needs more confirmations: twice as many from a tenth of the largest swap on, five times as many from half of it on. Only a fault of a
 * sequencer or of many validators could undo these blocks, and more time shows such a fault.
 */
const TIERS = [
  { part: 10n, times: 2 },
  { part: 2n, times: 5 },
] as const

export function withTiers(chains: readonly Chain[], assets: readonly Asset[]): readonly Asset[] {
  return assets.map((asset) => {
    const chain = chains.find(({ id }) => id === asset.chain)
    if (chain === undefined || asset.confirmationTiers !== undefined) return asset
    const { requiredConfirmations, finalityBlocks } = chain
    const raised = TIERS.map(({ part, times }) => ({
      from: asset.maxAmount / part,
      // A final block needs no more confirmations.
      confirmations: Math.min(requiredConfirmations * times, finalityBlocks),
    }))
    return { ...asset, confirmationTiers: [{ from: 0n, confirmations: requiredConfirmations }, ...raised] }
  })
}
