/** Says what people must know of an asset to read an amount. It comes from the bundled registry, so it does not need the service. */

import type { FamilyName } from '@tandem/protocol/chain.ts'
import { explorerTxUrl } from '@tandem/protocol/explorer.ts'
import type { PinnedRegistry } from './pinned.ts'

export type AssetFacts = {
  readonly id: string
  readonly symbol: string
  /** The number of decimals of the smallest unit: 8 for Bitcoin. */
  readonly decimals: number
  readonly chain: string
  readonly chainName: string
  /** Wallets of this family work on the chain: see `Wallet.families`. */
  readonly family: FamilyName
  /** `transactionLink` needs it. It is empty if no explorer shows the transactions of the chain. */
  readonly explorerTxUrl: string
  /** True if `instantRefund` can bring back a deposit before its timelock ends. */
  readonly hasInstantRefund: boolean
}

/** The result is null if neither this version of the SDK nor the app knows the asset. `registry` is the option of `createTandem`. */
export async function assetFacts(id: string, registry?: PinnedRegistry): Promise<AssetFacts | null> {
  const { chainNamed, findAsset } = await import('./pinned.ts')
  const asset = findAsset(id, registry)
  if (asset === null) return null
  const chain = chainNamed(asset.chain, registry)
  return {
    id: asset.id,
    symbol: asset.symbol,
    decimals: asset.decimals,
    chain: chain.id,
    chainName: chain.displayName,
    family: chain.family,
    explorerTxUrl: explorerTxUrl(chain),
    hasInstantRefund: chain.hasNoEarlyRefund !== true,
  }
}
