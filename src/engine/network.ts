/** Connects a party to the chains of its configuration. */
import type { ChainClient } from '../chains/family.ts'
import { connectChain } from '../chains/index.ts'
import type { AssetId, Deployment } from '../protocol/asset.ts'
import type { ChainId } from '../protocol/chain.ts'
import { type EnvironmentName, environments } from '../protocol/registry/environments.ts'
import { createRegistry, type Registry } from '../protocol/registry/registry.ts'

export type Network = {
  readonly registry: Registry
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  close(): Promise<void>
}

export type NetworkSettings = {
  readonly environment: EnvironmentName
  readonly chains: Readonly<Record<ChainId, { readonly endpoints: Readonly<Record<string, string>> }>>
  readonly deployments: Readonly<Record<AssetId, Deployment>>
}

/** Throws when a node is not the chain it should be. */
export async function connectNetwork(settings: NetworkSettings): Promise<Network> {
  const { chains, assets } = environments[settings.environment]
  const registry = createRegistry({
    chains,
    assets,
    deployments: settings.deployments,
    served: new Set(Object.keys(settings.chains)),
  })
  const clients = new Map<ChainId, ChainClient>()
  for (const chain of registry.chains.filter(({ id }) => registry.isServed(id))) {
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
