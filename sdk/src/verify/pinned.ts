/** What the SDK knows without the service: chains, assets and where their contracts are. */
import mainnet from '../../../contracts/deployments/mainnet.json' with { type: 'json' }
import testnet from '../../../contracts/deployments/testnet.json' with { type: 'json' }
import { type Asset, parseAssetId } from '../../../src/protocol/asset.ts'
import type { Chain } from '../../../src/protocol/chain.ts'
import { environments } from '../../../src/protocol/registry/environments.ts'
import { tokenOf } from '../../../src/protocol/registry/registry.ts'
import type { PinnedDeployment } from '../families/family.ts'
import { loadFamily } from '../families/index.ts'

/**
 * By asset: the addresses of its contracts, for local networks and for tokens whose address the registry does not confirm. `package`: of the code, where
 * it does not follow from the address of the HTLC.
 */
export type Deployments = Readonly<
  Record<string, { readonly htlc?: string | null; readonly token?: string | null; readonly package?: string }>
>

export type PinnedAsset = { readonly chain: Chain; readonly asset: Asset; readonly deployment: PinnedDeployment }

const listed: Deployments = { ...mainnet, ...testnet }
const all = Object.values(environments)

/** Of the bundled registry. Throws for a chain that it does not have. */
export function chainNamed(id: string): Chain {
  const chain = all.flatMap(({ chains }) => chains).find((one) => one.id === id)
  if (chain === undefined) throw new Error(`this version of the SDK does not know the chain "${id}"`)
  return chain
}

/** Null for an asset that the bundled registry does not have. */
export function findAsset(id: string): Asset | null {
  return all.flatMap(({ assets }) => assets).find((one) => one.id === id) ?? null
}

/** Throws for an asset that is unknown, or whose contracts are. */
export async function pinnedAsset(text: string, deployments: Deployments): Promise<PinnedAsset> {
  const id = parseAssetId(text)
  const asset = findAsset(id)
  if (asset === null) throw new Error(`this version of the SDK does not know the asset "${id}"`)
  const chain = chainNamed(asset.chain)
  const given = deployments[id] ?? listed[id]
  const deployment =
    given === undefined
      ? (await loadFamily(chain.family)).deploymentOf(asset, chain)
      : {
          htlc: given.htlc ?? null,
          token: tokenOf(asset, { htlc: given.htlc ?? null, token: given.token ?? null }),
          ...(given.package !== undefined && { package: given.package }),
        }
  if (deployment === null || (chain.needsHtlcContract && deployment.htlc === null))
    throw new Error(`the contracts of ${id} are not known: name them in the option deployments`)
  return { chain, asset, deployment }
}
