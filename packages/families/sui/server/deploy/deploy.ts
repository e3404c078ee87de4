/**
 * Publishes the package, burns its upgrade capability in the same transaction, and creates the registry of an asset. One package serves all
 * coins of a chain. The addresses follow from the transactions.
 */
import { Transaction } from '@mysten/sui/transactions'
import { sendUntilConfirmed } from '@tandem/chain-kit/contract/send-until-confirmed.ts'
import type { DeployedHtlc, DeployRequest } from '@tandem/chain-kit/port/abilities/deploy.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { formatUnits } from '@tandem/protocol/amount.ts'
import { htlcPackage } from '../../contract/artifacts/htlc.ts'
import { createRegistryCall, moduleName } from '../../contract/client/calls.ts'
import { publicationKind } from '../../contract/client/package.ts'
import { type Address, accountOf } from '../../terms/address.ts'
import { type CoinType, parseCoinType, SUI_TYPE } from '../../terms/coin-type.ts'
import { createContracts } from '../../terms/htlc.ts'
import { newestBlock } from '../blocks.ts'
import { createDeployments } from '../deployments.ts'
import { connectNode } from '../nodes/connect-node.ts'
import type { SuiNode } from '../nodes/node.ts'
import { verifyCoin, verifyNode } from '../nodes/verify-node.ts'
import { verifyPackage } from '../verify-package.ts'
import { type Commands, createOwnTransactions, type OwnTransactions } from './own-transactions.ts'

const SUI_DECIMALS = 9
const codeHash = `0x${htlcPackage.digest}`
const PUBLISHING = 'publishing the package'
const CREATING = 'creating the registry'
/** The creation of a registry costs less. It cannot be simulated before its package exists. */
const REGISTRY_COST = 20_000_000n

type Deployment = { readonly request: DeployRequest; readonly node: SuiNode; readonly own: OwnTransactions }

export async function deployHtlc(request: DeployRequest): Promise<DeployedHtlc> {
  const node = connectNode(request.chain, request)
  try {
    const deployments = createDeployments(node, (id) => verifyPackage(node, id))
    await verifyNode(request.chain, node, createContracts(request.chain, []), deployments)
    return await deploy(request, node)
  } finally {
    node.close()
  }
}

async function deploy(request: DeployRequest, node: SuiNode): Promise<DeployedHtlc> {
  const { chain, asset, token, onProgress, dryRun } = request
  const coinType = token === null ? SUI_TYPE : parseCoinType(token)
  await verifyCoin(node, { asset: asset.id, coinType, decimals: asset.decimals })
  const deployment = { request, node, own: createOwnTransactions(node, request.signer) }
  const shared = await findPackage(request, node)
  await requireFunds(deployment, shared === null)
  if (dryRun) return { htlc: 'an address that its transaction decides', tx: null, codeHash }

  const packageId = shared ?? (await publish(deployment))
  const tx = await reach(deployment, CREATING, () => registration(packageId, coinType))
  const registry = (await node.created(tx)).find(({ type }) => type.startsWith(`${packageId}::${moduleName}::Registry<`))
  if (registry === undefined) throw new ChainFailure('unreachable', `the node shows no registry that ${tx} created`)
  const contracts = createContracts(chain, [{ ...asset, deployment: { htlc: registry.id, token } }])
  await createDeployments(node, (id) => verifyPackage(node, id)).of(contracts.of(asset.id))
  onProgress(
    `deployed at ${registry.id} in ${tx}; verified: package ${packageId} has our code (${codeHash}), nobody can change it, and it locks ${coinType}`,
  )
  return { htlc: registry.id, tx, codeHash }
}

/** The package may be that of a registry that is listed for another asset of the chain. */
async function findPackage({ listedForOthers = [], onProgress }: DeployRequest, node: SuiNode): Promise<Address | null> {
  // A dry run lists a placeholder for what is not deployed yet.
  for (const registry of listedForOthers.filter((text) => /^0x[0-9a-f]{64}$/.test(text))) {
    const packageId = (await node.object(registry as Address))?.type.split('::')[0] as Address | undefined
    if (packageId === undefined || !packageId.startsWith('0x')) continue
    try {
      await verifyPackage(node, packageId)
      onProgress(`the package ${packageId} serves this asset too, and its code is ours`)
      return packageId
    } catch (error) {
      // The package is of another version, which is reported for its own asset.
      if (!(error instanceof ChainFailure) || error.kind !== 'would-fail') throw error
    }
  }
  return null
}

function publication(): Transaction {
  return Transaction.fromKind(publicationKind())
}

function registration(packageId: Address, coinType: CoinType): Transaction {
  const tx = new Transaction()
  createRegistryCall(tx, packageId, coinType)
  return tx
}

async function publish(deployment: Deployment): Promise<Address> {
  const { request, node } = deployment
  request.onProgress(PUBLISHING)
  const tx = await reach(deployment, PUBLISHING, publication)
  const published = (await node.created(tx)).find(({ type }) => type === 'package')
  if (published === undefined) throw new ChainFailure('unreachable', `the node shows no package that ${tx} published`)
  await verifyPackage(node, published.id)
  return published.id
}

async function reach({ request, node, own }: Deployment, name: string, commands: Commands): Promise<string> {
  const goal = {
    what: `${name} of ${request.asset.id}`,
    isReached: async () => (await own.done(name)) !== null,
    send: () => own.send(name, commands),
    confirmations: request.chain.requiredConfirmations,
  }
  await sendUntilConfirmed(request.chain, () => newestBlock(node), goal, request.onProgress)
  const tx = await own.done(name)
  if (tx === null) throw new ChainFailure('unreachable', `${name}: its transaction is gone: run this again`)
  return tx
}

async function requireFunds({ request, node, own }: Deployment, publishes: boolean): Promise<void> {
  const deployer = accountOf(request.signer)
  const publishing = publishes ? await own.cost(PUBLISHING, publication) : 0n
  const [cost, balance] = [publishing + REGISTRY_COST, await node.balance(deployer, SUI_TYPE)]
  const text = `deploying costs up to ${inSui(cost)} SUI; ${deployer} holds ${inSui(balance)} SUI on ${request.chain.displayName}`
  if (balance >= cost || request.dryRun) request.onProgress(text)
  else throw new ChainFailure('would-fail', `${text}: send it ${inSui(cost - balance)} SUI or more, and run this again`)
}

function inSui(mist: bigint): string {
  return formatUnits(mist, SUI_DECIMALS)
}
