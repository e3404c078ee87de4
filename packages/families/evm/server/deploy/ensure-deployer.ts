/** Deploys the CREATE2 deployer on a chain that lacks it. */

import { sendUntilConfirmed } from '@tandem/chain-kit/contract/send-until-confirmed.ts'
import type { DeployRequest } from '@tandem/chain-kit/port/abilities/deploy.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { formatEther, type Hex, keccak256 } from 'viem'
import { accountOf } from '../../terms/address.ts'
import { create2Deployer } from '../../terms/deploy/create2-deployer.ts'
import { newestBlock } from '../blocks.ts'
import type { EvmNode } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'
import { broadcast } from '../send/broadcast.ts'
import { createOneTransaction } from '../send/one-transaction.ts'
import { isInsufficientFunds } from '../send/revert.ts'

type DeployerRequest = Pick<DeployRequest, 'chain' | 'signer' | 'onProgress'> & { readonly node: EvmNode }

export async function ensureDeployer({ chain, node, signer, onProgress }: DeployerRequest): Promise<void> {
  const { address, code, sender, cost, transaction } = create2Deployer
  const failure = (why: string) => new ChainFailure('would-fail', `the CREATE2 deployer cannot be deployed on ${chain.id}: ${why}`)
  const tip = () => newestBlock(node)
  const found = await node.code(address)
  if (found === code) return
  if (found !== '0x') throw failure(`there is other code at ${address}`)

  onProgress(
    `deploying the CREATE2 deployer on ${chain.id}: ${formatEther(cost)} of the native coin go to ${sender}, whose only transaction creates it`,
  )
  await requireAccepted(node, transaction, failure)
  const short = cost - (await node.balance(sender))
  if (short > 0n) {
    const call = { to: sender, data: '0x', value: short } as const
    const gas = async () => ((await node.estimateGas({ ...call, from: accountOf(signer) })) * 6n) / 5n
    const { send } = createOneTransaction(chain, node, signer, call, gas)
    const isReached = async () => (await node.balance(sender)) >= cost || (await node.code(address)) === code
    await sendUntilConfirmed(chain, tip, { what: `paying ${sender}`, isReached, send, confirmations: 1 }, onProgress)
  }
  const send = async () => {
    const verdict = await broadcast(node, transaction)
    if (verdict === 'accepted') return
    if (verdict === 'nonce-used' && (await node.outcome(keccak256(transaction))) !== 'reverted') return
    throw failure(`its transaction ${keccak256(transaction)} was refused or reverted (${verdict})`)
  }
  const isReached = async () => (await node.code(address)) === code
  const goal = { what: 'the CREATE2 deployer', isReached, send, confirmations: chain.requiredConfirmations }
  await sendUntilConfirmed(chain, tip, goal, onProgress)
}

/**
 * This is checked before any coin is sent, because its sender can use coins for nothing else. A chain refuses it only for lack of funds.
 */
async function requireAccepted(node: EvmNode, transaction: Hex, failure: (why: string) => ChainFailure): Promise<void> {
  const tip = await node.block('latest')
  if (tip !== null && tip.baseFeePerGas > create2Deployer.gasPrice)
    throw failure(
      `its transaction pays ${create2Deployer.gasPrice} per gas, and the base fee is ${tip.baseFeePerGas}; try again when it is lower`,
    )
  try {
    await node.broadcast(transaction)
  } catch (error) {
    if (isInsufficientFunds(error)) return
    if (!(error instanceof NodeRefusal)) throw error
    throw failure(
      `the node refuses its transaction (${error.message}). It has no chain id (EIP-155): use a node that accepts such transactions, ` +
        'or ask the operators of the chain to deploy it, as most chains have done',
    )
  }
}
