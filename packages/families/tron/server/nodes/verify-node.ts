/** Checks that a node serves our network, by its chain id and its first block, that the contracts there are ours, and that it shows why calls revert. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { htlcTrc20 } from '@tandem/evm/contract/artifacts/htlc-trc20.ts'
import type { ContractState } from '@tandem/evm/server/contract-state.ts'
import { verifyDeposits } from '@tandem/evm/server/deposits.ts'
import type { EvmNode } from '@tandem/evm/server/nodes/node.ts'
import { verifyNode } from '@tandem/evm/server/nodes/verify-node.ts'
import { type Contracts, chainIdOf } from '@tandem/evm/terms/htlc.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { encodeFunctionData, maxUint256, toFunctionSelector, zeroHash } from 'viem'
import { tronAddressRule } from '../../terms/deposit.ts'
import { htlcTrc20Code } from '../../terms/htlc.ts'
import type { WalletApi } from './wallet-api.ts'

const NOT_INITIATED = toFunctionSelector('HTLC__OrderNotInitiated()')

export async function verifyTronNode(
  chain: Chain,
  node: EvmNode,
  api: WalletApi,
  state: ContractState,
  contracts: Contracts,
): Promise<void> {
  const first = await node.block(0n)
  // A chain's id is the last four bytes of the id of its first block.
  const expected = chainIdOf(chain).toString(16).padStart(8, '0')
  if (first?.hash.slice(-8) !== expected)
    throw new ChainFailure(
      'would-fail',
      `${chain.id}: the node's first block is ${first?.hash ?? 'missing'}, expected one that ends in ${expected}`,
    )
  await verifyNode(chain, node, state, contracts, (contract) => htlcTrc20Code(chain, contract))
  await verifyDeposits(chain, node, contracts, tronAddressRule(chain))
  await verifySimulations(chain, api, contracts)
}

/** Every payout is simulated before a secret is shown, and the revert data of the simulation show whether the payout would succeed. */
async function verifySimulations(chain: Chain, api: WalletApi, contracts: Contracts): Promise<void> {
  const [contract] = contracts.all
  if (contract === undefined) return
  const { address } = contract
  // No swap can have this amount, so the refund must revert.
  const args = [address, address, 1n, maxUint256, zeroHash] as const
  const data = encodeFunctionData({ abi: htlcTrc20.abi, functionName: 'refund', args })
  const { isReverted, output } = await api.simulateCall({ to: address, data })
  if (isReverted && output.slice(0, 10) === NOT_INITIATED) return
  throw new ChainFailure(
    'would-fail',
    `${chain.id}: the node does not return revert data: triggerconstantcontract answered ${output.slice(0, 74)}, expected ${NOT_INITIATED}`,
  )
}
