/** Reads the chain settings of a configuration, including secret URLs and headers. Its deployments override the published ones. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EnvironmentName } from '@tandem/protocol/registry/environment.ts'
import { PACKAGE_ROOT } from '@tandem/runtime/package-root.ts'
import type { NetworkSettings } from '../engine/network.ts'
import { chainEndpoints } from './chain-endpoints.ts'
import type { LoadedConfig } from './load-config.ts'
import { parseConfirmations, parseLimits } from './parse-limits.ts'
import { readEndpoint } from './read-endpoint.ts'
import type { ChainsConfig, PartyConfig } from './schema.ts'

export async function networkSettings({
  config,
  rows,
  readSecret,
}: Pick<LoadedConfig<ChainsConfig & Partial<Pick<PartyConfig, 'limits'>>>, 'config' | 'rows' | 'readSecret'>): Promise<NetworkSettings> {
  const chains = Object.entries(config.chains).map(async ([id, settings]) => {
    const { endpoints, quorum } = chainEndpoints(rows.chains.find((chain) => chain.id === id) ?? {}, settings)
    const urls = Object.entries(endpoints).map(async ([kind, list]) => {
      const placeOf = (at: number) => `/chains/${id}/endpoints/${kind}${Array.isArray(settings.endpoints?.[kind]) ? `/${at}` : ''}`
      return [kind, await Promise.all(list.map((one, at) => readEndpoint(one, readSecret, { kind, place: placeOf(at) })))] as const
    })
    const { deposit_tolerance_bips: tolerance, first_block_hash: firstBlockHash } = settings
    return [
      id,
      {
        endpoints: Object.fromEntries(await Promise.all(urls)),
        quorum,
        ...(tolerance !== undefined && { depositToleranceBips: tolerance }),
        ...(firstBlockHash !== undefined && { firstBlockHash }),
      },
    ] as const
  })
  return {
    rows,
    chains: Object.fromEntries(await Promise.all(chains)),
    deployments: { ...(await publishedDeployments(config.environment)), ...config.deployments },
    limits: parseLimits(config),
    confirmations: parseConfirmations(config),
  }
}

/** Local contracts are deployed at every start, so they are listed in the configuration only. */
async function publishedDeployments(environment: EnvironmentName): Promise<NetworkSettings['deployments']> {
  if (environment === 'local') return {}
  return JSON.parse(await readFile(join(PACKAGE_ROOT, 'packages', 'families', 'deployments', `${environment}.json`), 'utf8'))
}
