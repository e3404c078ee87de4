/** Gives blocks to the port. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { Block, Chain } from '@tandem/protocol/chain.ts'
import type { StarknetNode } from './nodes/node.ts'
import { newestOf } from './nodes/read-blocks.ts'

/** The registry's `finalized` is `accepted on L1`. */
export function blocksOf(node: StarknetNode, { finalityTag }: Chain): Pick<ChainClient, 'tip' | 'tipHint' | 'headers' | 'finalHeight'> {
  const { tipHint } = node
  return {
    tip: async () => headerOf(await newestOf(node)),
    ...(tipHint !== undefined && { tipHint: async () => headerOf(await tipHint()) }),
    headers: async (heights) => (await node.blocks(heights)).map(headerOf),
    ...(finalityTag !== undefined && { finalHeight: node.finalHeight }),
  }
}

export function headerOf({ height, hash, parentHash, time }: Block): Block {
  return { height, hash, parentHash, time }
}
