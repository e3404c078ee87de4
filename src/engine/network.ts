/** Connects a party to the chains of its configuration. */
import type { ChainClient } from '../chains/family.ts'
import { connectChain } from '../chains/index.ts'
import type { AssetId, Deployment } from '../protocol/asset.ts'
import type { ChainId } from '../protocol/chain.ts'
import { localAssets, localChains } from '../protocol/registry/local.ts'
import { createRegistry, type Registry } from '../protocol/registry/registry.ts'

export type Network = {
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  close(): Promise<void>
}

export type NetworkSettings = {
  readonly environment: 'local'
  readonly chains: Readonly<Record<ChainId, { readonly endpoints: Readonly<Record<string, string>> }>>
  readonly deployments: Readonly<Record<AssetId, Deployment>>
}

const environments = { local: { chains: localChains, assets: localAssets } } as const

/** Throws when a node is not the chain it should be. */
export async function connectNetwork(settings: NetworkSettings): Promise<Network> {
  const { chains, assets } = environments[settings.environment]
  const registry = createRegistry({
    chains: chains.filter((chain) => chain.id in settings.chains),
    assets: assets.filter((asset) => asset.chain in settings.chains),
    deployments: settings.deployments,
  })
  const clients = new Map<ChainId, ChainClient>()
  for (const chain of registry.chains) {
    const active = registry
      .assetsOf(chain.id)
      .flatMap((asset) => (asset.deployment === null ? [] : [{ ...asset, deployment: asset.deployment }]))
    clients.set(chain.id, connectChain(chain, { assets: active, endpoints: settings.chains[chain.id]?.endpoints ?? {} }))
  }
  await Promise.all([...clients.values()].map((client) => client.verifyNode()))
  return {
    registry,
    clients,
    async close() {
      await Promise.all([...clients.values()].map((client) => client.close()))
    },
  }
}
