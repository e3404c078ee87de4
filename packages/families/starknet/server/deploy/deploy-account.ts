/** Deploys the account of a key, which pays for it: STRK can be sent to its address in advance. */
import { sendUntilConfirmed } from '@tandem/chain-kit/contract/send-until-confirmed.ts'
import type { AccountRequest, DeployedAccount } from '@tandem/chain-kit/port/abilities/deploy.ts'
import { feltOf } from '../../terms/address.ts'
import { starknetDataOf } from '../../terms/chain-data.ts'
import { accountOf } from '../account.ts'
import { createContractState } from '../contract-state.ts'
import { connectNode } from '../nodes/connect-node.ts'
import type { StarknetNode } from '../nodes/node.ts'
import { newestOf } from '../nodes/read-blocks.ts'
import { accountDeployment } from './contents.ts'
import { requireFunds } from './funds.ts'
import { createOwnTransaction } from './own-transaction.ts'

export async function deployAccount(request: AccountRequest): Promise<DeployedAccount> {
  const node = connectNode(request.chain, request)
  try {
    return await deployAccountOn(node, request)
  } finally {
    node.close()
  }
}

export async function deployAccountOn(
  node: StarknetNode,
  request: Pick<AccountRequest, 'chain' | 'signer' | 'dryRun' | 'onProgress'>,
): Promise<DeployedAccount> {
  const { chain, signer, dryRun, onProgress } = request
  const { accountClass } = starknetDataOf(chain)
  const address = accountOf(signer, accountClass)
  const account = feltOf(address)
  const isReached = async () => (await node.classHashAt(account)) !== null
  if (await isReached()) return { address, tx: null }
  const own = createOwnTransaction(chain, node, signer, accountDeployment(signer, accountClass))
  const what = `deploying the account ${address}`
  await requireFunds(request, createContractState(node), account, what, await own.cost())
  if (dryRun) {
    onProgress(`the account ${address} would be deployed`)
    return { address, tx: null }
  }
  onProgress(what)
  await sendUntilConfirmed(chain, () => newestOf(node), { what, isReached, send: own.send, confirmations: 1 }, onProgress)
  const tx = await own.tx()
  onProgress(`deployed the account ${address}${tx === null ? '' : ` in ${tx}`}`)
  return { address, tx }
}
