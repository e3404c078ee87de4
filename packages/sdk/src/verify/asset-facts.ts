/** What people must know of an asset to read an amount, from the bundled registry: also when the service is gone. */

import type { FamilyName } from '@tandem/protocol/chain.ts'
import { explorerTxUrl } from '@tandem/protocol/explorer.ts'

export type AssetFacts = {
  readonly id: string
  readonly symbol: string
  /** Of the smallest unit: 8 for Bitcoin. */
  readonly decimals: number
  readonly chain: string
  readonly chainName: string
  /** Whose wallets work on the chain: see `Wallet.families`. */
  readonly family: FamilyName
  /** For `transactionLink`. Empty if no explorer shows the transactions of the chain. */
  readonly explorerTxUrl: string
}

/** Null if this version of the SDK does not know the asset. */
export async function assetFacts(id: string): Promise<AssetFacts | null> {
  const { chainNamed, findAsset } = await import('./pinned.ts')
  const asset = findAsset(id)
  if (asset === null) return null
  const chain = chainNamed(asset.chain)
  return {
    id: asset.id,
    symbol: asset.symbol,
    decimals: asset.decimals,
    chain: chain.id,
    chainName: chain.displayName,
    family: chain.family,
    explorerTxUrl: explorerTxUrl(chain),
  }
}
