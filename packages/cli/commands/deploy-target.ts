/** The chain of a deployment, the nodes to use, and the contracts that are listed already. */
import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { environments } from '@tandem/families/registry.ts'
import { PUBLIC_QUORUM } from '@tandem/party/config/chain-endpoints.ts'
import { loadPartyConfig } from '@tandem/party/config/load-party-config.ts'
import { networkSettings } from '@tandem/party/config/network-settings.ts'
import { canonicalContracts } from '@tandem/party/engine/canonical-contracts.ts'
import type { Asset } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { didYouMean } from '@tandem/protocol/nearest-name.ts'
import { type EnvironmentName, environmentNames } from '@tandem/protocol/registry/environment.ts'
import { type Deployments, publishedFile, readDeployments } from './deployments-file.ts'

export type DeployTarget = {
  readonly environment: EnvironmentName
  readonly chain: Chain
  readonly assets: readonly Asset[]
  readonly nodes: Pick<ConnectOptions, 'endpoints' | 'quorum'>
  /** Contracts listed so far, and tokens of the configuration. */
  readonly listed: Deployments
  /** The file to list deployments in; null: none. */
  readonly file: string | null
}

type Where = { readonly chain: string; readonly config?: string; readonly rpc?: readonly string[]; readonly out?: string }

export async function findTarget({ chain: name, config: path, rpc, out }: Where): Promise<DeployTarget> {
  const settings = path === undefined ? null : await settingsOf(path)
  const { environment, chain } = findChain(name, settings === null ? environmentNames : [settings.environment])
  const ofConfig = settings?.chains[name]
  const published = publishedFile(environment)
  const file = out ?? published
  const listed: Deployments = {
    ...(published === null ? {} : await readDeployments(published)),
    ...settings?.deployments,
    ...(file === null ? {} : await readDeployments(file)),
  }
  const ofChain = environments[environment].assets.filter((asset) => asset.chain === chain.id)
  const { assets, deployments } = canonicalContracts([chain], { assets: ofChain, deployments: listed })
  const nodes = rpc === undefined ? (ofConfig ?? publicNodes(chain, path)) : { endpoints: { rpc } }
  return { environment, chain, assets, nodes, listed: deployments, file }
}

async function settingsOf(path: string) {
  const { given, readSecret } = await loadPartyConfig(path)
  return networkSettings({ config: given.config, readSecret })
}

function findChain(name: string, within: readonly EnvironmentName[]): { readonly environment: EnvironmentName; readonly chain: Chain } {
  const all = within.flatMap((environment) => environments[environment].chains.map((chain) => ({ environment, chain })))
  const found = all.find(({ chain }) => chain.id === name)
  if (found !== undefined) return found
  const names = all.map(({ chain }) => chain.id)
  throw new Error(`there is no chain "${name}" in ${within.join(', ')}${didYouMean(name, names) || `; there are ${names.join(', ')}`}`)
}

/** Here a single public node is enough: if it lies, the cost is the fee of one failed transaction. */
function publicNodes(chain: Chain, config: string | undefined): DeployTarget['nodes'] {
  const rpc = chain.publicRpcs ?? []
  if (rpc.length > 0) return { endpoints: { rpc }, quorum: Math.min(PUBLIC_QUORUM, rpc.length) }
  const missing = config === undefined ? '' : `${config} has no nodes of ${chain.id}, and `
  throw new Error(`${missing}no public nodes of ${chain.id} are known: give one with --rpc, or a configuration that has some with --config`)
}
