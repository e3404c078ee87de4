/** The target is the chain of a deployment, the nodes to use, and the contracts that are listed already. */

import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { environments } from '@tandem/families/registry.ts'
import { PUBLIC_QUORUM } from '@tandem/party/config/chain-endpoints.ts'
import { loadPartyConfig } from '@tandem/party/config/load-party-config.ts'
import { networkSettings } from '@tandem/party/config/network-settings.ts'
import { canonicalContracts } from '@tandem/party/engine/canonical-contracts.ts'
import type { Asset, AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { didYouMean } from '@tandem/protocol/nearest-name.ts'
import { type Environment, type EnvironmentName, environmentNames } from '@tandem/protocol/registry/environment.ts'
import type { DeployedContracts } from '@tandem/protocol/registry/registry.ts'
import { PACKAGE_ROOT } from '@tandem/runtime/package-root.ts'

export type DeployTarget = {
  readonly environment: EnvironmentName
  readonly chain: Chain
  readonly assets: readonly Asset[]
  readonly nodes: Pick<ConnectOptions, 'endpoints' | 'quorum'>
  /** These are the listed contracts, and the tokens of the configuration. */
  readonly listed: Deployments
  /** This file lists deployments. It is null if there is none. */
  readonly file: string | null
  /** The configuration added these assets, so its own deployments list their contracts, and not a file that others read. */
  readonly added: ReadonlySet<string>
}

type Where = {
  readonly chain: string
  readonly config?: string
  readonly rpc?: readonly string[]
  readonly out?: string
  /** The option of the command that names a node; the default is `--rpc`. */
  readonly nodeOption?: string
}

export async function findTarget({ chain: name, config: path, rpc, out, nodeOption = '--rpc' }: Where): Promise<DeployTarget> {
  const loaded = path === undefined ? null : await settingsOf(path)
  const settings = loaded?.settings
  const { environment, rows, chain } = findChain(name, loaded === null ? published() : [loaded])
  const ofConfig = settings?.chains[name]
  const ofEnvironment = publishedFile(environment)
  const file = out ?? ofEnvironment
  const listed: Deployments = {
    ...(ofEnvironment === null ? {} : await readDeployments(ofEnvironment)),
    ...settings?.deployments,
    ...(file === null ? {} : await readDeployments(file)),
  }
  const ofChain = rows.assets.filter((asset) => asset.chain === chain.id)
  const { assets, deployments } = canonicalContracts([chain], { assets: ofChain, deployments: listed })
  const nodes = rpc === undefined ? (ofConfig ?? publicNodes(chain, path, nodeOption)) : { endpoints: { rpc } }
  return { environment, chain, assets, nodes, listed: deployments, file, added: new Set(out === undefined ? loaded?.added : []) }
}

type Rows = { readonly environment: EnvironmentName; readonly rows: Environment }

async function settingsOf(path: string) {
  const { given, rows, readSecret } = await loadPartyConfig(path)
  const { environment, registry } = given.config
  const settings = await networkSettings({ config: given.config, rows, readSecret })
  return { environment, rows, settings, added: Object.keys(registry?.assets ?? {}) }
}

/** Without a configuration there are the chains of the registry alone. */
function published(): readonly Rows[] {
  return environmentNames.map((environment) => ({ environment, rows: environments[environment] }))
}

function findChain(name: string, within: readonly Rows[]): Rows & { readonly chain: Chain } {
  const all = within.flatMap(({ environment, rows }) => rows.chains.map((chain) => ({ environment, rows, chain })))
  const found = all.find(({ chain }) => chain.id === name)
  if (found !== undefined) return found
  const names = all.map(({ chain }) => chain.id)
  throw new Error(
    `there is no chain "${name}" in ${within.map(({ environment }) => environment).join(', ')}${didYouMean(name, names) || `; there are ${names.join(', ')}`}`,
  )
}

/** A single public node is enough here: if it lies, the cost is the fee of one failed transaction. */
function publicNodes(chain: Chain, config: string | undefined, nodeOption: string): DeployTarget['nodes'] {
  const rpc = chain.publicRpcs ?? []
  if (rpc.length > 0) return { endpoints: { rpc }, quorum: Math.min(PUBLIC_QUORUM, rpc.length) }
  const missing = config === undefined ? '' : `${config} has no nodes of ${chain.id}, and `
  throw new Error(
    `${missing}no public nodes of ${chain.id} are known: give one with ${nodeOption}, or a configuration that has some with --config`,
  )
}

export type Deployments = Readonly<Record<AssetId, DeployedContracts & { readonly code_hash?: string }>>

/** Returns null for the local network, whose contracts are deployed at every start. */
function publishedFile(environment: EnvironmentName): string | null {
  return environment === 'local' ? null : join(PACKAGE_ROOT, 'packages', 'families', 'deployments', `${environment}.json`)
}

/** The list is empty if there is no file yet. */
async function readDeployments(path: string): Promise<Deployments> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw error
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`${path} lists deployed contracts and must be JSON: correct it, or remove it to begin anew`, { cause })
  }
}

/** The file stays sorted, so that two additions conflict in git only if they are of the same asset. */
export async function addDeployment(path: string, asset: AssetId, contracts: Deployments[AssetId]): Promise<void> {
  const all = Object.entries({ ...(await readDeployments(path)), [asset]: contracts })
  const sorted = Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  await writeFile(`${path}.new`, `${JSON.stringify(sorted, null, 2)}\n`)
  await rename(`${path}.new`, path)
}
