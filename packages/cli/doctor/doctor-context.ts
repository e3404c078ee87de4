/** The checks get a party's configuration, secrets and chains. Reading them starts and changes nothing. */
import type { LoadedConfig } from '@tandem/party/config/load-config.ts'
import { networkSettings } from '@tandem/party/config/network-settings.ts'
import { referencesOf } from '@tandem/party/config/read-endpoint.ts'
import type { KeyReference, PartyConfig, ServiceConfig, SolverConfig } from '@tandem/party/config/schema.ts'
import { createNetwork, type Network, type NetworkSettings } from '@tandem/party/engine/network.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Environment } from '@tandem/protocol/registry/environment.ts'

export type PartyWithConfig =
  | { readonly party: 'service'; readonly config: ServiceConfig }
  | { readonly party: 'solver'; readonly config: SolverConfig }

export type DoctorContext = PartyWithConfig & {
  readonly path: string
  readonly rows: Environment
  readSecret(reference: KeyReference | string): Promise<string>
  readonly network: Network
  /** The clients have no assets, so their `verifyNode` checks the chain and no contracts. */
  readonly chainsAlone: Network
  readonly settings: NetworkSettings
  /** The nodes of these chains answer and serve the right chain. The check `nodes` reports the others. */
  healthyChains(): Promise<ReadonlySet<ChainId>>
  /** The value is the reason why a chain's nodes cannot be used, or null. */
  nodeErrors(): Promise<ReadonlyMap<ChainId, Error | null>>
  now(): bigint
  close(): Promise<void>
}

export async function createDoctorContext(
  given: PartyWithConfig,
  rows: Environment,
  path: string,
  readSecret: LoadedConfig<PartyConfig>['readSecret'],
): Promise<DoctorContext> {
  const config = { ...given.config, chains: await readableChains(given.config, readSecret) }
  const settings = await networkSettings({ config, rows, readSecret })
  const network = await createNetwork(settings)
  const chainsAlone = await createNetwork({ ...settings, deployments: {} })
  let errors: Promise<ReadonlyMap<ChainId, Error | null>> | null = null

  async function askNodes(): Promise<ReadonlyMap<ChainId, Error | null>> {
    const asked = [...chainsAlone.clients].map(async ([chain, client]) => {
      const error = await client.verifyNode().then(
        () => null,
        (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason))),
      )
      return [chain, error] as const
    })
    return new Map(await Promise.all(asked))
  }
  const nodeErrors = () => (errors ??= askNodes())

  return {
    ...given,
    path,
    rows,
    readSecret,
    network,
    chainsAlone,
    settings,
    nodeErrors,
    async healthyChains() {
      return new Set([...(await nodeErrors())].filter(([, error]) => error === null).map(([chain]) => chain))
    },
    now: () => BigInt(Math.floor(Date.now() / 1000)),
    async close() {
      await Promise.all([network.close(), chainsAlone.close()])
    },
  }
}

/** Chains with an unreadable endpoint are left out; the check `secrets` reports them. */
async function readableChains({ chains }: PartyConfig, readSecret: DoctorContext['readSecret']): Promise<PartyConfig['chains']> {
  const readable = await Promise.all(
    Object.entries(chains).map(async ([chain, settings]) => {
      const read = await Promise.allSettled(
        Object.values(settings.endpoints ?? {})
          .flat()
          .flatMap(referencesOf)
          .map(readSecret),
      )
      return read.every(({ status }) => status === 'fulfilled') ? [[chain, settings] as const] : []
    }),
  )
  return Object.fromEntries(readable.flat())
}
