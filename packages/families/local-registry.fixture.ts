/** The registry of the local chains, all of them served. */
import { createRegistry, type Registry, type RegistryData } from '@tandem/protocol/registry/registry.ts'
import { localAssets, localChains } from './registry.ts'

export function localRegistry(deployments: RegistryData['deployments'] = {}): Registry {
  return createRegistry({ chains: localChains, assets: localAssets, deployments, served: new Set(localChains.map(({ id }) => id)) })
}
