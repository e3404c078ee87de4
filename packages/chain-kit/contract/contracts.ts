/** Finds the contracts of a chain by the asset that each locks. */
import type { Asset, AssetId, Deployment } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { TandemError } from '@tandem/protocol/error.ts'

export type DeployedAsset = Asset & { readonly deployment: Deployment }

export type ContractsOf<C> = {
  readonly all: readonly C[]
  of(asset: AssetId): C
}

export function contractsOf<C>(chain: Chain, assets: readonly DeployedAsset[], contractOf: (asset: DeployedAsset) => C): ContractsOf<C> {
  const byAsset = new Map(assets.map((asset) => [asset.id, contractOf(asset)]))
  return {
    all: [...byAsset.values()],
    of(asset) {
      const contract = byAsset.get(asset)
      if (contract === undefined) throw new TandemError('unsupported_pair', `no HTLC of asset "${asset}" is known on ${chain.id}`)
      return contract
    },
  }
}

/** Throws unless the asset has an HTLC, and a token exactly if it is one. `token` is null for the chain's own coin. */
export function placesOf({ id, tokenSchema, deployment: { htlc, token } }: DeployedAsset, what = 'a token address') {
  if (htlc === null) throw new Error(`asset ${id} has no HTLC address`)
  if ((token === null) !== (tokenSchema === null)) throw new Error(`asset ${id} must have ${what} exactly if it is a token`)
  return { htlc, token }
}
