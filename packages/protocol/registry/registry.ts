/** The registry finds the chains and assets of one environment by id, and knows which of them this operator serves. */
import { type Asset, type AssetId, type Deployment, parseAssetId } from '../asset.ts'
import type { Chain } from '../chain.ts'
import type { ChainId } from '../chain-id.ts'
import { TandemError } from '../error.ts'
import { didYouMean } from '../nearest-name.ts'

/** `deployment` is null for an asset that is listed and inactive. */
export type ListedAsset = Asset & { readonly deployment: Deployment | null }

export interface Registry {
  readonly chains: readonly Chain[]
  readonly assets: readonly ListedAsset[]
  chain(id: ChainId): Chain
  /** Returns true if this operator is connected to the chain. */
  isServed(id: ChainId): boolean
  /** Throws `unsupported_pair`, and says why, for an asset that is unknown or inactive. */
  asset(text: string): ListedAsset & { readonly deployment: Deployment }
  assetsOf(chain: ChainId): readonly ListedAsset[]
}

/** `token` is needed only where the registry does not know the token's address. */
export type DeployedContracts = { readonly htlc: string | null; readonly token?: string | null }

/** Addresses are in the form that their family compares; this file treats them as text. */
export type RegistryData = {
  readonly chains: readonly Chain[]
  readonly assets: readonly Asset[]
  /** The contracts by asset. On a chain without contracts `{ htlc: null }` means that nothing needs to be deployed. */
  readonly deployments: Readonly<Record<AssetId, DeployedContracts>>
  readonly served: ReadonlySet<ChainId>
}

export function createRegistry(data: RegistryData): Registry {
  const { served } = data
  const chains = new Map(data.chains.map((chain) => [chain.id, chain]))
  const listings = data.assets.map((asset) => listingOf(data, chains.get(asset.chain), asset))
  const byId = new Map<string, Listing>(listings.map((listing) => [listing.asset.id, listing]))
  for (const id of served) if (!chains.has(id)) throw new Error(`chain "${id}" is configured, but the registry does not have it`)
  assertNoDuplicates(data.chains.filter(({ id }) => served.has(id)))
  for (const id of Object.keys(data.deployments))
    if (!byId.has(id)) throw new Error(`the deployments name the asset "${id}", which the registry does not have`)
  const assets = listings.map((listing) => listing.asset)

  return {
    chains: data.chains,
    assets,
    chain(id) {
      const chain = chains.get(id)
      if (chain === undefined) throw new TandemError('unsupported_pair', `chain "${id}" is not in the registry`)
      return chain
    },
    isServed(id) {
      return served.has(id)
    },
    asset(text) {
      const listing = byId.get(parseAssetId(text))
      if (listing === undefined)
        throw new TandemError(
          'unsupported_pair',
          `asset "${text.slice(0, 90)}" is not known here${didYouMean(text.slice(0, 90), [...byId.keys()]) || '; GET /chains lists those that are'}`,
        )
      const { asset, inactiveBecause } = listing
      if (asset.deployment === null)
        throw new TandemError('unsupported_pair', `asset "${asset.id}" is listed but not active: ${inactiveBecause}`)
      return { ...asset, deployment: asset.deployment }
    },
    assetsOf(chain) {
      return assets.filter((asset) => asset.chain === chain)
    },
  }
}

type Listing = { readonly asset: ListedAsset; readonly inactiveBecause: string }

function listingOf({ deployments, served }: RegistryData, chain: Chain | undefined, asset: Asset): Listing {
  const inactive = (inactiveBecause: string): Listing => ({ asset: { ...asset, deployment: null }, inactiveBecause })
  if (chain === undefined) throw new Error(`asset ${asset.id} is on a chain that is not in the registry`)
  if (!served.has(chain.id)) return inactive(`this operator does not serve ${chain.id}`)
  const deployed = deployments[asset.id]
  if (deployed === undefined || (deployed.htlc === null && chain.needsHtlcContract)) return inactive('no HTLC is deployed for it')
  const token = tokenOf(asset, deployed)
  if (asset.tokenSchema !== null && token === null) return inactive('the address of its token is not confirmed')
  return {
    asset: { ...asset, deployment: { htlc: deployed.htlc, token } },
    inactiveBecause: '',
  }
}

/** A public token has one address, which a configuration cannot change. */
export function tokenOf(asset: Asset, deployed: DeployedContracts): string | null {
  const { tokenAddress: known } = asset
  const given = deployed.token ?? null
  if (known !== null && given !== null && given !== known)
    throw new Error(`the token of ${asset.id} is ${known}, but the deployments say ${given}`)
  if (given !== null && asset.tokenSchema === null)
    throw new Error(`${asset.id} is the chain's own coin, but the deployments give it the token ${given}`)
  return known ?? given
}

/** With two ids for one chain, one account would have separate records, and both would sign transactions with the same nonce. */
export function assertNoDuplicates(served: readonly Chain[]): void {
  for (const { id, reference } of served) {
    const twin = served.find((other) => other.id !== id && other.reference === reference)
    if (twin !== undefined) throw new Error(`the chains "${id}" and "${twin.id}" are both ${reference}: configure one of them`)
  }
}
