/** Blocks as the port gives them, on chains that are read through the Ethereum JSON-RPC. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Block, Chain } from '@tandem/protocol/chain.ts'
import type { EvmNode, NodeBlock } from './nodes/node.ts'

export function blocksOf(node: EvmNode, { finalityTag }: Chain): Pick<ChainClient, 'tip' | 'glimpse' | 'headers' | 'finalHeight'> {
  const { glimpse } = node
  return {
    tip: async () => headerOf(await newestBlock(node)),
    ...(glimpse !== undefined && { glimpse: async () => headerOf(await glimpse()) }),
    headers: async (heights) => (await node.blocks(heights)).map(headerOf),
    ...(finalityTag !== undefined && { finalHeight: () => node.finalHeight(finalityTag) }),
  }
}

export async function newestBlock(node: Pick<EvmNode, 'block'>): Promise<NodeBlock> {
  const block = await node.block('latest')
  if (block === null) throw new ChainFailure('unreachable', 'the node has no block')
  return block
}

export function headerOf({ height, hash, parentHash, time }: Block): Block {
  return { height, hash, parentHash, time }
}
