/** Reads blocks in the port's form, on chains that are read through the Ethereum JSON-RPC. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Block, Chain } from '@tandem/protocol/chain.ts'
import type { EvmNode, NodeBlock } from './nodes/node.ts'

export function blocksOf(node: EvmNode, { finalityTag }: Chain): Pick<ChainClient, 'tip' | 'tipHint' | 'headers' | 'finalHeight'> {
  const { tipHint } = node
  return {
    tip: async () => headerOf(await newestBlock(node)),
    ...(tipHint !== undefined && { tipHint: async () => headerOf(await tipHint()) }),
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
