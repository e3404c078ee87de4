/** What the SDK knows without the service: chains, assets and where their contracts are. */

import type { PinnedDeployment } from '@tandem/chain-kit/browser/family.ts'
import { loadFamily } from '@tandem/families/browser.ts'
import mainnet from '@tandem/families/deployments/mainnet.json' with { type: 'json' }
import testnet from '@tandem/families/deployments/testnet.json' with { type: 'json' }
import { environments, environmentWith } from '@tandem/families/registry.ts'
import { type Asset, parseAssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { RegistryAdditions } from '@tandem/protocol/registry/addable.ts'
import type { Environment, EnvironmentName } from '@tandem/protocol/registry/environment.ts'
import { tokenOf } from '@tandem/protocol/registry/registry.ts'

/**
 * The addresses of the contracts of each asset, for local networks and for tokens whose address the registry does not confirm. `package` is the address of the code, where it does not follow from the address of the HTLC.
 * `firstBlock` is the hash of block 1, on a test network whose nodes the registry cannot tell apart.
 */
export type Deployments = Readonly<
  Record<string, { readonly htlc?: string | null; readonly token?: string | null; readonly package?: string; readonly firstBlock?: string }>
>

/**
 * Chains and assets that an operator added to its registry, as in the operator's configuration. The app has them from the operator and not from the
 * service at run time: what a user pays and receives is verified against them.
 */
export type PinnedRegistry = RegistryAdditions & { readonly environment: EnvironmentName }

export type PinnedAsset = { readonly chain: Chain; readonly asset: Asset; readonly deployment: PinnedDeployment }

/** `solvers` are public keys of solvers on the chain of this asset, where parties of an HTLC are keys. Old keys stay listed. */
type Listed = Readonly<Record<string, Deployments[string] & { readonly solvers?: readonly string[] }>>

const listed: Listed = { ...mainnet, ...testnet }
const bundled: Environment = {
  chains: Object.values(environments).flatMap(({ chains }) => chains),
  assets: Object.values(environments).flatMap(({ assets }) => assets),
}

const checked = new WeakMap<PinnedRegistry, Environment>()

/** The bundled registry with the additions of the app. Throws if they are not consistent. Each order's own timelocks are verified with the order. */
function rowsOf(registry: PinnedRegistry | undefined): Environment {
  if (registry === undefined) return bundled
  const known = checked.get(registry)
  if (known !== undefined) return known
  const { environment, ...additions } = registry
  const { added, problems } = environmentWith(environment, additions)
  if (problems.length > 0) throw new Error(`the option registry is not valid: ${problems.join('; ')}`)
  const all = { chains: [...bundled.chains, ...added.chains], assets: [...bundled.assets, ...added.assets] }
  checked.set(registry, all)
  return all
}

/** The result is null for a chain that neither the bundled registry nor the app has. */
export function findChain(id: string, registry?: PinnedRegistry): Chain | null {
  return rowsOf(registry).chains.find((one) => one.id === id) ?? null
}

/** Throws for a chain that neither the bundled registry nor the app has. */
export function chainNamed(id: string, registry?: PinnedRegistry): Chain {
  const chain = findChain(id, registry)
  if (chain === null) throw new Error(`this version of the SDK does not know the chain "${id}"`)
  return chain
}

export function pinnedSolverKeys(chain: string, of: Listed = listed): readonly string[] {
  return Object.entries(of).flatMap(([id, { solvers = [] }]) => (id.startsWith(`${chain}:`) ? solvers : []))
}

/** The result is null for an asset that neither the bundled registry nor the app has. */
export function findAsset(id: string, registry?: PinnedRegistry): Asset | null {
  return rowsOf(registry).assets.find((one) => one.id === id) ?? null
}

/** Throws for an asset that is unknown, or whose contracts are. */
export async function pinnedAsset(text: string, deployments: Deployments, registry?: PinnedRegistry): Promise<PinnedAsset> {
  const id = parseAssetId(text)
  const asset = findAsset(id, registry)
  if (asset === null)
    throw new Error(
      `this version of the SDK does not know the asset "${id}": an asset that the operator of the service added is named in the option registry`,
    )
  const chain = chainNamed(asset.chain, registry)
  const deployment = await deploymentOf(asset, chain, deployments)
  if (deployment === null) throw new Error(`the contracts of ${id} are not known: name them in the option deployments`)
  return { chain, asset, deployment }
}

/** All assets of a chain whose contracts are known. */
export async function pinnedAssetsOn(chain: Chain, deployments: Deployments, registry?: PinnedRegistry): Promise<readonly PinnedAsset[]> {
  const assets = rowsOf(registry).assets.filter((asset) => asset.chain === chain.id)
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
