/** The chains and assets of one environment, looked up by id. */
import type { Asset, AssetId, Deployment } from '../asset.ts'
import { parseAssetId } from '../asset.ts'
import type { Chain, ChainId } from '../chain.ts'
import { TandemError } from '../error.ts'

/** An asset without its contracts is listed, and inactive. */
export type ListedAsset = Asset & { readonly deployment: Deployment | null }

export interface Registry {
  readonly chains: readonly Chain[]
  readonly assets: readonly ListedAsset[]
  chain(id: ChainId): Chain
  /** Throws `unsupported_pair` for an asset that is unknown or has no contracts yet. */
  asset(text: string): ListedAsset & { readonly deployment: Deployment }
  assetsOf(chain: ChainId): readonly ListedAsset[]
}

export type RegistryData = {
  readonly chains: readonly Chain[]
  readonly assets: readonly Asset[]
  /** Deployed contracts by asset; families without contracts list their assets with nulls. */
  readonly deployments: Readonly<Record<AssetId, Deployment>>
}

export function createRegistry(data: RegistryData): Registry {
  const chains = new Map(data.chains.map((chain) => [chain.id, chain]))
  const assets = data.assets.map((asset): ListedAsset => ({ ...asset, deployment: data.deployments[asset.id] ?? null }))
  const byId = new Map<string, ListedAsset>(assets.map((asset) => [asset.id, asset]))

  return {
    chains: data.chains,
    assets,
    chain(id) {
      const chain = chains.get(id)
      if (chain === undefined) throw new TandemError('unsupported_pair', `chain "${id}" is not in the registry`)
      return chain
    },
    asset(text) {
      const asset = byId.get(parseAssetId(text))
      if (asset === undefined)
        throw new TandemError('unsupported_pair', `asset "${text}" is not known here; GET /chains lists those that are`)
      if (asset.deployment === null)
        throw new TandemError('unsupported_pair', `asset "${asset.id}" is listed but not active: no HTLC is deployed for it`)
      return { ...asset, deployment: asset.deployment }
    },
    assetsOf(chain) {
      return assets.filter((asset) => asset.chain === chain)
    },
  }
}
