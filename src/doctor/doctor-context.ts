/** A configured party as its doctor sees it: configuration, secrets, chains. Nothing is started and nothing is changed. */
import type { LoadedConfig } from '../config/load-config.ts'
import { networkSettings } from '../config/network-settings.ts'
import type { PartyConfig, SecretReference, ServiceConfig, SolverConfig } from '../config/schema.ts'
import { createNetwork, type Network, type NetworkSettings } from '../engine/network.ts'
import type { ChainId } from '../protocol/chain.ts'

export type PatientConfig =
  | { readonly party: 'service'; readonly config: ServiceConfig }
  | { readonly party: 'solver'; readonly config: SolverConfig }

export type Patient = PatientConfig & {
  readonly path: string
  readSecret(reference: SecretReference | string): Promise<string>
  readonly network: Network
  /** Clients that know nothing but their chain: `verifyNode` says just whether it is the right one. */
  readonly chainsAlone: Network
  readonly settings: NetworkSettings
  /** Chains whose node answers and is the right one; others have been told of. */
  soundChains(): Promise<ReadonlySet<ChainId>>
  /** What each node says of itself: null, or the error. */
  nodeErrors(): Promise<ReadonlyMap<ChainId, Error | null>>
  /** Unix seconds. */
  now(): bigint
  close(): Promise<void>
}

export async function createPatient(
  given: PatientConfig,
  path: string,
  readSecret: LoadedConfig<PartyConfig>['readSecret'],
): Promise<Patient> {
  const config = { ...given.config, chains: await readableChains(given.config, readSecret) }
  const settings = await networkSettings({ config, readSecret })
  const network = createNetwork(settings)
  const chainsAlone = createNetwork({ ...settings, deployments: {} })
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
    readSecret,
    network,
    chainsAlone,
    settings,
    nodeErrors,
    async soundChains() {
      return new Set([...(await nodeErrors())].filter(([, error]) => error === null).map(([chain]) => chain))
    },
    now: () => BigInt(Math.floor(Date.now() / 1000)),
    async close() {
      await Promise.all([network.close(), chainsAlone.close()])
    },
  }
}

/** An endpoint that cannot be read is told of among the secrets; the other chains are looked at all the same. */
async function readableChains({ chains }: PartyConfig, readSecret: Patient['readSecret']): Promise<PartyConfig['chains']> {
  const readable = await Promise.all(
    Object.entries(chains).map(async ([chain, settings]) => {
      const read = await Promise.allSettled(
        Object.values(settings.endpoints ?? {})
          .flat()
          .map(readSecret),
      )
      return read.every(({ status }) => status === 'fulfilled') ? [[chain, settings] as const] : []
    }),
  )
  return Object.fromEntries(readable.flat())
}
