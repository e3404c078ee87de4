/** Blocks as the port gives them. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { Block, Chain } from '@tandem/protocol/chain.ts'
import type { StarknetNode } from './nodes/node.ts'
import { newestOf } from './nodes/read-blocks.ts'

/** What the registry calls finalized is accepted on L1. */
export function blocksOf(node: StarknetNode, { finalityTag }: Chain): Pick<ChainClient, 'tip' | 'glimpse' | 'headers' | 'finalHeight'> {
  const { glimpse } = node
  return {
    tip: async () => headerOf(await newestOf(node)),
    ...(glimpse !== undefined && { glimpse: async () => headerOf(await glimpse()) }),
    headers: async (heights) => (await node.blocks(heights)).map(headerOf),
    ...(finalityTag !== undefined && { finalHeight: node.finalHeight }),
  }
}

export function headerOf({ height, hash, parentHash, time }: Block): Block {
  return { height, hash, parentHash, time }
}
