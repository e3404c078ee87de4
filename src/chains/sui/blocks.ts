/** Blocks as the port gives them: heights are the sequence numbers of checkpoints. */
import type { Block } from '../../protocol/chain.ts'
import type { ChainClient } from '../port/client.ts'
import { ChainFailure } from '../port/failure.ts'
import type { SuiNode } from './nodes/node.ts'

export function blocksOf(node: SuiNode): Pick<ChainClient, 'tip' | 'glimpse' | 'headers'> {
  const { glimpse } = node
  return {
    tip: () => newestBlock(node),
    ...(glimpse !== undefined && { glimpse: () => glimpse() }),
    headers: async (heights) => (heights.length === 0 ? [] : node.blocks(heights)),
  }
}

export async function newestBlock(node: Pick<SuiNode, 'block'>): Promise<Block> {
  const block = await node.block('latest')
  if (block === null) throw new ChainFailure('unreachable', 'the node has no checkpoint')
  return block
}
