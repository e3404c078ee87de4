/** Deploys contracts at addresses that depend on their code alone (CREATE2), and verifies the code. */

import { sendUntilConfirmed } from '@tandem/chain-kit/contract/send-until-confirmed.ts'
import type { DeployedHtlc, DeployRequest } from '@tandem/chain-kit/port/abilities/deploy.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { type Address, formatEther, type Hex, hexToBytes, keccak256 } from 'viem'
import { accountOf, parseAddress } from '../../terms/address.ts'
import { create2AddressOf, create2Call, create2Deployer } from '../../terms/deploy/create2-deployer.ts'
import { htlcInitCode } from '../../terms/deploy/htlc-init-code.ts'
import { htlcCode, verifyCode } from '../../terms/deploy/verify-code.ts'
import { createContracts, type HtlcContract } from '../../terms/htlc.ts'
import { newestBlock } from '../blocks.ts'
import { createContractState } from '../contract-state.ts'
import { connectNode } from '../nodes/connect-node.ts'
import type { EvmNode } from '../nodes/node.ts'
import { verifyNode } from '../nodes/verify-node.ts'
import { verifyToken } from '../nodes/verify-token.ts'
import { createOneTransaction } from '../send/one-transaction.ts'
import { asChainFailure } from '../send/revert.ts'
import { ensureDeployer } from './ensure-deployer.ts'

export async function deployHtlc(request: DeployRequest): Promise<DeployedHtlc> {
  const { chain, asset, onProgress } = request
  const node = connectNode(chain, request)
  try {
    const state = createContractState(node)
    const token = request.token === null ? null : parseAddress(request.token)
    await verifyNode(chain, node, state, createContracts(chain, []))
    if (token !== null) await verifyToken(chain, node, asset, token)
    const initCode = htlcInitCode(token)
    const chainId = Number(await node.chainId())
    const codeAt = (address: Address) => htlcCode({ chainId, address, token } satisfies HtlcContract)
    const deployed = await deployContract({ ...request, node, name: `the HTLC of ${asset.id}`, initCode, codeAt })
    if (deployed.isThere) {
      await verifyNode(chain, node, state, createContracts(chain, [{ ...asset, deployment: { htlc: deployed.htlc, token } }]))
      onProgress(`verified: its code has the hash ${deployed.codeHash}, and it locks ${token ?? 'the native coin'}`)
    }
    return { htlc: deployed.htlc, tx: deployed.tx, codeHash: deployed.codeHash }
  } finally {
    node.close()
  }
}

export type ContractToDeploy = Pick<DeployRequest, 'chain' | 'signer' | 'dryRun' | 'bringDeployer' | 'onProgress'> & {
  readonly node: EvmNode
  readonly name: string
  /** Messages name the expected contract like this. The default is our HTLC. */
  readonly what?: string
  readonly initCode: Hex
  codeAt(address: Address): Hex
}

/** The same code is the same contract, so anyone may repeat this. `isThere` is false after a dry run that found nothing. */
export async function deployContract(
  contract: ContractToDeploy,
): Promise<DeployedHtlc & { readonly htlc: Address; readonly isThere: boolean }> {
  const { chain, node, signer, name, initCode, onProgress } = contract
  const htlc = create2AddressOf(initCode)
  const code = contract.codeAt(htlc)
  const codeHash = keccak256(code)
  const isPresent = async () => (await node.code(htlc)) !== '0x'
  if (await isPresent()) {
    await verifyCode(node, htlc, code, contract.what)
    onProgress(`${name} is at ${htlc} already`)
    return { htlc, tx: null, codeHash, isThere: true }
  }

  const call = create2Call(initCode)
  const from = accountOf(signer)
  const gas = async () => {
    try {
      return ((await node.estimateGas({ ...call, from })) * 23n) / 20n
    } catch (error) {
      throw asChainFailure(error, `deploying ${name}`)
    }
  }
  const isDeployerThere = (await node.code(create2Deployer.address)) !== '0x'
  const missing = isDeployerThere ? 0n : create2Deployer.cost
  if (!isDeployerThere && contract.bringDeployer !== true && !contract.dryRun)
    throw new ChainFailure(
      'would-fail',
      `${chain.id} lacks the CREATE2 deployer at ${create2Deployer.address}. --bring-deployer deploys it first, which costs ` +
        `${formatEther(missing)} ${coinOf(chain)} once; the operators of the chain may do it for less`,
    )
  await requireFunds(contract, missing + (isDeployerThere ? await gas() : roughGas(initCode, code)) * (await node.gasPrice()))
  if (contract.dryRun) {
    onProgress(
      `${name} would be deployed at ${htlc}${isDeployerThere ? '' : `, after the CREATE2 deployer at ${create2Deployer.address} (--bring-deployer)`}`,
    )
    return { htlc, tx: null, codeHash, isThere: false }
  }
  await ensureDeployer(contract)

  onProgress(`deploying ${name} at ${htlc}`)
  const transaction = createOneTransaction(chain, node, signer, call, gas)
  const goal = {
    what: `deploying ${name}`,
    isReached: isPresent,
    send: transaction.send,
    confirmations: chain.requiredConfirmations,
  }
  await sendUntilConfirmed(chain, () => newestBlock(node), goal, onProgress)
  await verifyCode(node, htlc, code, contract.what)
  const tx = await transaction.tx()
  onProgress(`deployed ${name} at ${htlc}${tx === null ? '' : ` in ${tx}`}`)
  return { htlc, tx, codeHash, isThere: true }
}

function coinOf({ nativeAsset }: Chain): string {
  return nativeAsset.slice(nativeAsset.indexOf(':') + 1).toUpperCase()
}

/** A byte of code costs 200 gas to store and 16 to send. The rest is for the transaction, the creation and the constructor. */
function roughGas(initCode: Hex, code: Hex): bigint {
  return 150_000n + 16n * BigInt(hexToBytes(initCode).length) + 200n * BigInt(hexToBytes(code).length)
}

/** The balance is checked before anything is sent. The lane checks it again at the gas price of that moment. */
async function requireFunds({ chain, node, signer, name, dryRun, onProgress }: ContractToDeploy, cost: bigint): Promise<void> {
  const account = accountOf(signer)
  const balance = await node.balance(account)
  const symbol = coinOf(chain)
  const text = `deploying ${name} costs about ${formatEther(cost)} ${symbol}; ${account} holds ${formatEther(balance)} ${symbol} on ${chain.displayName}`
  if (balance >= cost || dryRun) onProgress(text)
  else throw new ChainFailure('would-fail', `${text}: send it ${formatEther(cost - balance)} ${symbol} or more, and run this again`)
}
