/** Checks that a node serves the network we mean, by its own word and by its first block, and that the contracts there are ours. */
import type { Chain } from '../../protocol/chain.ts'
import type { ContractState } from '../evm/contract-state.ts'
import { type Contracts, chainIdOf } from '../evm/htlc.ts'
import type { EvmNode } from '../evm/node.ts'
import { verifyNode } from '../evm/verify-node.ts'
import { ChainFailure } from '../family.ts'
import { htlcTrc20Code } from './htlc.ts'

export async function verifyTronNode(chain: Chain, node: EvmNode, state: ContractState, contracts: Contracts): Promise<void> {
  const first = await node.block(0n)
  // A chain's id is the last four bytes of the id of its first block.
  const expected = chainIdOf(chain).toString(16).padStart(8, '0')
  if (first?.hash.slice(-8) !== expected)
    throw new ChainFailure(
      'would-fail',
      `${chain.id}: the node's first block is ${first?.hash ?? 'missing'}, expected one that ends in ${expected}`,
    )
  await verifyNode(chain, node, state, contracts, htlcTrc20Code)
}
