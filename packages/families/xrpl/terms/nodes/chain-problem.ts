/** Checks by its network id that a node serves our chain. */
import type { Chain } from '@tandem/protocol/chain.ts'
import type { XrplNode } from '../../server/nodes/node.ts'
import { networkIdOf } from '../network.ts'

export async function chainProblem(chain: Chain, node: Pick<XrplNode, 'networkId'>): Promise<string | null> {
  const expected = networkIdOf(chain)
  const served = await node.networkId()
  return served === expected ? null : `serves the network ${served}, expected ${expected}`
}
