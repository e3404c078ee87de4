/** Checks by its chain id that a node serves our chain. */
import type { Chain } from '@tandem/protocol/chain.ts'
import type { EvmNode } from '../../server/nodes/node.ts'
import { chainIdOf } from '../htlc.ts'

export async function chainProblem(chain: Chain, node: Pick<EvmNode, 'chainId'>): Promise<string | null> {
  const served = await node.chainId()
  return served === BigInt(chainIdOf(chain)) ? null : `serves evm:${served}, expected ${chain.reference}`
}
