/** What the SDK knows without the service: chains, assets and where their contracts are. */

import type { PinnedDeployment } from '@tandem/chain-kit/browser/family.ts'
import { loadFamily } from '@tandem/families/browser.ts'
import mainnet from '@tandem/families/deployments/mainnet.json' with { type: 'json' }
import testnet from '@tandem/families/deployments/testnet.json' with { type: 'json' }
import { environments } from '@tandem/families/registry.ts'
import { type Asset, parseAssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { tokenOf } from '@tandem/protocol/registry/registry.ts'

/**
 * The addresses of the contracts of each asset, for local networks and for tokens whose address the registry does not confirm. `package` is the address of the code, where it does not follow from the address of the HTLC.
 * `firstBlock` is the hash of block 1, on a test network whose nodes the registry cannot tell apart.
 */
export type Deployments = Readonly<
  Record<string, { readonly htlc?: string | null; readonly token?: string | null; readonly package?: string; readonly firstBlock?: string }>
>

export type PinnedAsset = { readonly chain: Chain; readonly asset: Asset; readonly deployment: PinnedDeployment }

/** `solvers` are public keys of solvers on the chain of this asset, where parties of an HTLC are keys. Old keys stay listed. */
type Listed = Readonly<Record<string, Deployments[string] & { readonly solvers?: readonly string[] }>>

const listed: Listed = { ...mainnet, ...testnet }
const all = Object.values(environments)

/** The result is null for a chain that the bundled registry does not have. */
export function findChain(id: string): Chain | null {
  return all.flatMap(({ chains }) => chains).find((one) => one.id === id) ?? null
}

/** Throws for a chain that the bundled registry does not have. */
export function chainNamed(id: string): Chain {
  const chain = findChain(id)
  if (chain === null) throw new Error(`this version of the SDK does not know the chain "${id}"`)
  return chain
}

export function pinnedSolverKeys(chain: string, of: Listed = listed): readonly string[] {
  return Object.entries(of).flatMap(([id, { solvers = [] }]) => (id.startsWith(`${chain}:`) ? solvers : []))
}

/** The result is null for an asset that the bundled registry does not have. */
export function findAsset(id: string): Asset | null {
  return all.flatMap(({ assets }) => assets).find((one) => one.id === id) ?? null
}

/** Throws for an asset that is unknown, or whose contracts are. */
export async function pinnedAsset(text: string, deployments: Deployments): Promise<PinnedAsset> {
  const id = parseAssetId(text)
  const asset = findAsset(id)
  if (asset === null) throw new Error(`this version of the SDK does not know the asset "${id}"`)
  const chain = chainNamed(asset.chain)
  const deployment = await deploymentOf(asset, chain, deployments)
  if (deployment === null) throw new Error(`the contracts of ${id} are not known: name them in the option deployments`)
  return { chain, asset, deployment }
}

/** All assets of a chain whose contracts are known. */
export async function pinnedAssetsOn(chain: Chain, deployments: Deployments): Promise<readonly PinnedAsset[]> {
  const assets = all.flatMap(({ assets: some }) => some).filter((asset) => asset.chain === chain.id)
  const pinned = await Promise.all(
    assets.map(async (asset) => ({ chain, asset, deployment: await deploymentOf(asset, chain, deployments) })),
  )
  return pinned.flatMap(({ deployment, ...rest }) => (deployment === null ? [] : [{ ...rest, deployment }]))
}

/** The result is null if the contracts are not known. */
async function deploymentOf(asset: Asset, chain: Chain, deployments: Deployments): Promise<PinnedDeployment | null> {
  const given = deployments[asset.id] ?? listed[asset.id]
  const deployment =
    given === undefined
      ? (await loadFamily(chain.family)).deploymentOf(asset, chain)
      : {
          htlc: given.htlc ?? null,
          token: tokenOf(asset, { htlc: given.htlc ?? null, token: given.token ?? null }),
          ...(given.package !== undefined && { package: given.package }),
          ...(given.firstBlock !== undefined && { firstBlock: given.firstBlock }),
        }
  return deployment === null || (chain.needsHtlcContract && deployment.htlc === null) ? null : deployment
}
