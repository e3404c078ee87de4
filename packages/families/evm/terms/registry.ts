/** Lists the EVM chains of each environment. */
import type { Asset } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Environment, FamilyRows } from '@tandem/protocol/registry/environment.ts'
import { local } from './registry/local.ts'
import { mainnet } from './registry/mainnet.ts'
import { testnet } from './registry/testnet.ts'

/**
 * A larger amount needs more confirmations: twice as many from a tenth of the largest swap on, five times as many from half of it on. Only a fault of a
 * sequencer or of many validators could undo these blocks, and more time shows such a fault.
 */
const TIERS = [
  { part: 10n, times: 2 },
  { part: 2n, times: 5 },
] as const

function withTiers(chains: readonly Chain[], assets: readonly Asset[]): readonly Asset[] {
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

const tiered = ({ chains, assets }: Environment): Environment => ({ chains, assets: withTiers(chains, assets) })

export const rows: FamilyRows = { local: tiered(local), testnet: tiered(testnet), mainnet: tiered(mainnet) }
