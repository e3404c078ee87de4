/** Gives blocks to the port: heights are the sequence numbers of checkpoints. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { SuiNode } from './nodes/node.ts'

export function blocksOf(node: SuiNode): Pick<ChainClient, 'tip' | 'tipHint' | 'headers'> {
  const { tipHint } = node
  return {
    tip: () => newestBlock(node),
    ...(tipHint !== undefined && { tipHint: () => tipHint() }),
    headers: async (heights) => (heights.length === 0 ? [] : node.blocks(heights)),
  }
}

export async function newestBlock(node: Pick<SuiNode, 'block'>): Promise<Block> {
  const block = await node.block('latest')
  if (block === null) throw new ChainFailure('unreachable', 'the node has no checkpoint')
  return block
}
