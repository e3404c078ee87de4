/** Brings contract addresses into the form that code compares. Only a family knows which texts are the same address. */
import { basicFormsOf } from '@tandem/families/index.ts'
import type { Asset, AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { DeployedContracts } from '@tandem/protocol/registry/registry.ts'

type ContractAddresses<D extends DeployedContracts = DeployedContracts> = {
  readonly assets: readonly Asset[]
  readonly deployments: Readonly<Record<AssetId, D>>
}

/** Leaves deployments of unknown assets as they are. Throws for a text that is no address of its chain. */
export function canonicalContracts<D extends DeployedContracts>(
  chains: readonly Chain[],
  { assets, deployments }: ContractAddresses<D>,
): ContractAddresses<D> {
  const chainOf = new Map(chains.map((chain) => [chain.id, chain]))
  const chainOfAsset = new Map(assets.map((asset) => [asset.id, chainOf.get(asset.chain)]))

  function canonical(id: AssetId, text: string): string {
    const chain = chainOfAsset.get(id)
    if (chain === undefined) return text
    const address = basicFormsOf(chain).comparable(text)
    if (address === null) throw new Error(`the contract "${text}" of ${id} is not an address on ${chain.id}`)
    return address
  }

  function canonicalDeployment(id: AssetId, deployed: D): D {
    const htlc = deployed.htlc === null ? null : canonical(id, deployed.htlc)
    return { ...deployed, htlc, ...(deployed.token != null && { token: canonical(id, deployed.token) }) }
  }

  return {
    assets: assets.map((asset) =>
      asset.tokenAddress === null ? asset : { ...asset, tokenAddress: canonical(asset.id, asset.tokenAddress) },
    ),
    deployments: Object.fromEntries(
      Object.entries(deployments).map(([id, deployed]) => [id, canonicalDeployment(id as AssetId, deployed)]),
    ),
  }
}
