/** `tandem deploy` deploys the HTLCs of a chain's assets, verifies their code, and lists them. */

import type { DeployAccount, DeployHtlc } from '@tandem/chain-kit/port/abilities/deploy.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { connectChain, loadFamily } from '@tandem/families/index.ts'
import type { Curve } from '@tandem/keys/key.ts'
import type { Asset, AssetId } from '@tandem/protocol/asset.ts'
import { didYouMean } from '@tandem/protocol/nearest-name.ts'
import { tokenOf } from '@tandem/protocol/registry/registry.ts'
import { deployDistributor } from './deploy-distributor.ts'
import { addDeployment, type DeployTarget, findTarget } from './deploy-target.ts'
import { type KeyOptions, readKey } from './read-key.ts'
import type { Terminal } from './terminal.ts'

export type DeployOptions = KeyOptions & {
  readonly chain: string
  readonly asset?: readonly string[]
  readonly config?: string
  readonly rpc?: readonly string[]
  readonly dryRun?: boolean
  readonly replace?: boolean
  readonly bringDeployer?: boolean
  readonly distributor?: boolean
  readonly out?: string
  readonly json?: boolean
}

/**
 * listed     it was listed before, and its code is that of this version
 * found      it was deployed before, and is listed now
 * deployed   it was deployed now
 * planned    a dry run: its address, deployed or not
 */
type Status = 'listed' | 'found' | 'deployed' | 'planned'

type Result = {
  readonly asset: string
  readonly token: string | null
  readonly htlc: string
  readonly status: Status
  readonly tx: string | null
  /** The hash is null for a listed HTLC, which `verifyNode` checks without returning it. */
  readonly code_hash: string | null
}

export async function deployCommand(options: DeployOptions, terminal: Terminal): Promise<void> {
  const target = await findTarget(options)
  if (options.distributor === true) return deployDistributor(target, options, terminal)
  const { deployHtlc, deployAccount, curve } = await requireDeployer(target)
  const { ready, skipped } = chooseAssets(target, options.asset ?? null)
  const key = await readKey(options, curve)
  if (skipped.length > 0) terminal.note(`left out, ${reasonOf(skipped)}`)

  const dryRun = options.dryRun === true
  const signerFor = (asset: Asset) => key.signerFor({ kind: 'deploy', chain: target.chain.id, asset: asset.id })
  const [first] = ready
  if (deployAccount !== undefined && first !== undefined) {
    const { address } = await deployAccount({
      ...target.nodes,
      chain: target.chain,
      signer: signerFor(first.asset),
      dryRun,
      onProgress: terminal.note,
    })
    terminal.note(`the account of the key is ${address}`)
  }
  const results: Result[] = []
  for (const { asset, token } of ready) {
    const onProgress = (what: string) => terminal.note(`${asset.id}: ${what}`)
    const listed = await verifyListed(target, asset, token, options.replace === true, onProgress)
    if (listed !== null) {
      results.push({ asset: asset.id, token, htlc: listed, status: 'listed', tx: null, code_hash: null })
      continue
    }
    const signer = signerFor(asset)
    const listedForOthers = [...results.map(({ htlc }) => htlc), ...listedOf(target, asset)]
    const how = { signer, listedForOthers, dryRun, bringDeployer: options.bringDeployer === true, onProgress }
    const deployed = await deployHtlc({ ...target.nodes, chain: target.chain, asset, token, ...how })
    const status = deployed.tx !== null ? 'deployed' : dryRun ? 'planned' : 'found'
    results.push({ asset: asset.id, token, htlc: deployed.htlc, status, tx: deployed.tx, code_hash: deployed.codeHash })
    if (target.added.has(asset.id)) {
      if (!dryRun) onProgress(`name it in deployments of each configuration: "${asset.id}": { "htlc": "${deployed.htlc}" }`)
    } else if (target.file !== null && !dryRun) {
      const ownToken = asset.tokenAddress === null && token !== null ? { token } : {}
      await addDeployment(target.file, asset.id, { htlc: deployed.htlc, ...ownToken, code_hash: deployed.codeHash })
      onProgress(`listed in ${target.file}`)
    }
  }
  terminal.answer(
    options.json === true
      ? JSON.stringify({ dry_run: options.dryRun === true, ...recordOf(target, results, skipped) }, null, 2)
      : describe(results),
  )
}

function listedOf({ assets, listed }: DeployTarget, { id }: Asset): readonly string[] {
  return assets.flatMap((other) => (other.id === id ? [] : (listed[other.id]?.htlc ?? [])))
}

type Deployer = { readonly deployHtlc: DeployHtlc; readonly deployAccount: DeployAccount | undefined; readonly curve: Curve }

async function requireDeployer({ chain }: DeployTarget): Promise<Deployer> {
  const family = await loadFamily(chain.family)
  if (family.deployHtlc === undefined) throw new Error(`${chain.id} needs no contracts: there is nothing to deploy`)
  return { deployHtlc: family.deployHtlc, deployAccount: family.deployAccount, curve: family.curve }
}

type Ready = { readonly asset: Asset; readonly token: string | null }

/** Throws if one of the assets that the operator named cannot be deployed. */
function chooseAssets({ chain, assets, listed }: DeployTarget, named: readonly string[] | null) {
  const ids = assets.map(({ id }) => id)
  const wanted = named?.map((name) => {
    const id = name.includes(':') ? name.toLowerCase() : `${chain.id}:${name.toLowerCase()}`
    if (!ids.some((known) => known === id))
      throw new Error(`there is no asset "${id}"${didYouMean(id, ids) || `; ${chain.id} has ${ids.join(', ')}`}`)
    return id
  })
  const ready: Ready[] = []
  const skipped: AssetId[] = []
  for (const asset of assets.filter(({ id }) => wanted === undefined || wanted.includes(id))) {
    const token = tokenOf(asset, listed[asset.id] ?? { htlc: null })
    if (asset.tokenSchema === null || token !== null) ready.push({ asset, token })
    else skipped.push(asset.id)
  }
  if (ready.length === 0 || (wanted !== undefined && skipped.length > 0))
    throw new Error(skipped.length === 0 ? `${chain.id} has no assets` : `nothing is deployed, ${reasonOf(skipped)}`)
  return { ready, skipped }
}

function reasonOf(skipped: readonly AssetId[]): string {
  const entry = `"${skipped[0]}": { "htlc": null, "token": "<address>" }`
  return `as the address of the token is not known: ${skipped.join(', ')}. A configuration can name it in its deployments: ${entry}`
}

/** Resolves to the address of the listed HTLC if its code is that of this version. Null means that one has to be deployed. */
async function verifyListed(
  { chain, nodes, listed }: DeployTarget,
  asset: Asset,
  token: string | null,
  replace: boolean,
  onProgress: (what: string) => void,
): Promise<string | null> {
  const htlc = listed[asset.id]?.htlc ?? null
  if (htlc === null) return null
  const client = await connectChain(chain, { ...nodes, assets: [{ ...asset, deployment: { htlc, token } }] })
  try {
    await client.verifyNode()
    onProgress(`the HTLC listed at ${htlc} is there, and its code is ours`)
    return htlc
  } catch (error) {
    if (!(error instanceof ChainFailure) || error.kind !== 'would-fail') throw error
    if (!replace)
      throw new Error(
        `${asset.id} is listed at ${htlc}, and ${error.message}. --replace deploys the HTLC of this version and lists it instead`,
      )
    onProgress(`the contract listed at ${htlc} is replaced: ${error.message}`)
    return null
  } finally {
    await client.close()
  }
}

const WORDS = { listed: 'listed before', found: 'deployed before', deployed: 'deployed', planned: 'planned' } as const

function describe(results: readonly Result[]): string {
  return results.map(({ asset, htlc, status, tx }) => `${asset}  ${htlc}  ${WORDS[status]}${tx === null ? '' : ` in ${tx}`}`).join('\n')
}

function recordOf({ environment, chain, file }: DeployTarget, htlcs: readonly Result[], skipped: readonly AssetId[]) {
  return { environment, chain: chain.id, file, htlcs, without_token: skipped }
}
