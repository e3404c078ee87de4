/** Deploys the HTLC of a token at an address that depends only on its class and its token, and verifies its class. */

import { sendUntilConfirmed } from '@tandem/chain-kit/contract/send-until-confirmed.ts'
import type { DeployedHtlc, DeployRequest } from '@tandem/chain-kit/port/abilities/deploy.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { htlcClass } from '../../contract/artifacts/htlc.ts'
import type { Felt } from '../../contract/client/felt.ts'
import { addressOfFelt, feltOf, paddedAddress } from '../../terms/address.ts'
import { starknetDataOf } from '../../terms/chain-data.ts'
import { createContracts } from '../../terms/htlc.ts'
import { accountOf } from '../account.ts'
import { createContractState } from '../contract-state.ts'
import { highestFee, suggestFees } from '../fees/fees.ts'
import { connectNode } from '../nodes/connect-node.ts'
import type { StarknetNode } from '../nodes/node.ts'
import { newestOf } from '../nodes/read-blocks.ts'
import { verifyNode } from '../nodes/verify-node.ts'
import { verifyToken } from '../nodes/verify-token.ts'
import { accountDeployment, deployCall, deployedAddress, invocation } from './contents.ts'
import { deployAccountOn } from './deploy-account.ts'
import { requireFunds } from './funds.ts'
import { createOwnTransaction } from './own-transaction.ts'

export async function deployHtlc(request: DeployRequest): Promise<DeployedHtlc> {
  const node = connectNode(request.chain, request)
  try {
    return await deployOn(node, request, htlcClass.classHash)
  } finally {
    node.close()
  }
}

/** No node can estimate a deployment by an account that does not exist yet. This is twice the gas that it takes. */
const ROUGH_GAS = { l1Gas: 0n, l1DataGas: 1_000n, l2Gas: 10_000_000n }

/** Anyone may repeat the deployment safely: the same class with the same token is the same contract. */
export async function deployOn(node: StarknetNode, request: DeployRequest, classHash: Felt): Promise<DeployedHtlc> {
  const { chain, signer, asset, onProgress } = request
  const { accountClass } = starknetDataOf(chain)
  const state = createContractState(node)
  const verified = (assets: Parameters<typeof createContracts>[1]) =>
    verifyNode(chain, node, state, createContracts(chain, assets), classHash)
  await verified([])
  const token = await requireToken(node, request)
  const htlc = deployedAddress(classHash, [token])
  const result = { htlc: addressOfFelt(htlc), codeHash: addressOfFelt(classHash) }
  const isPresent = async () => (await node.classHashAt(htlc)) !== null
  const verify = async () => {
    await verified([{ ...asset, deployment: { htlc: result.htlc, token: addressOfFelt(token) } }])
    onProgress(`verified: its class has the hash ${result.codeHash}, and it locks ${addressOfFelt(token)}`)
  }
  if (await isPresent()) {
    await verify()
    onProgress(`the HTLC of ${asset.id} is at ${result.htlc} already`)
    return { ...result, tx: null }
  }
  await requireDeclared(node, request, classHash)

  const account = feltOf(accountOf(signer, accountClass))
  const what = `deploying the HTLC of ${asset.id}`
  const call = { calls: [deployCall(classHash, [token])] }
  const ofHtlc = createOwnTransaction(chain, node, signer, invocation(what, account, call))
  const lacksAccount = (await node.classHashAt(account)) === null
  const ofAccount = createOwnTransaction(chain, node, signer, accountDeployment(signer, accountClass))
  const cost = lacksAccount ? (await ofAccount.cost()) + highestFee(ROUGH_GAS, await suggestFees(node, chain)) : await ofHtlc.cost()
  await requireFunds(request, state, account, what, cost)
  if (request.dryRun) {
    onProgress(
      `the HTLC of ${asset.id} would be deployed at ${result.htlc}${lacksAccount ? `, after the account ${addressOfFelt(account)}` : ''}`,
    )
    return { ...result, tx: null }
  }
  await deployAccountOn(node, request)
  onProgress(`${what} at ${result.htlc}`)
  const goal = { what, isReached: isPresent, send: ofHtlc.send, confirmations: chain.requiredConfirmations }
  await sendUntilConfirmed(chain, () => newestOf(node), goal, onProgress)
  await verify()
  const tx = await ofHtlc.tx()
  onProgress(`deployed the HTLC of ${asset.id} at ${result.htlc}${tx === null ? '' : ` in ${tx}`}`)
  return { ...result, tx }
}

async function requireToken(node: StarknetNode, { chain, asset, token: named }: DeployRequest): Promise<Felt> {
  if (named === null)
    throw new ChainFailure('would-fail', `${chain.id} has no coin beside its tokens: ${asset.id} needs the address of a token`)
  const token = feltOf(paddedAddress(named))
  await verifyToken(chain, node, asset, token)
  return token
}

async function requireDeclared(node: StarknetNode, { chain }: DeployRequest, classHash: Felt): Promise<void> {
  if (await node.isDeclared(classHash)) return
  throw new ChainFailure(
    'would-fail',
    `the class of our HTLC, ${addressOfFelt(classHash)}, is not declared on ${chain.id}. Anyone can declare it once for all: ` +
      'packages/families/starknet/contract/README.md says how',
  )
}
