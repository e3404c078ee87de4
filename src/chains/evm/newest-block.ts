/** The newest block that the nodes agree on. */
import type { Block } from '../../protocol/chain.ts'
import { ChainFailure } from '../port/failure.ts'
import type { EvmNode } from './nodes/node.ts'

export async function newestBlock(node: Pick<EvmNode, 'block'>): Promise<Block> {
  const block = await node.block('latest')
  if (block === null) throw new ChainFailure('unreachable', 'the node has no block')
  return block
}
