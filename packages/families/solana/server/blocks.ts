/** Gives blocks to the port, where heights are slots. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { SlotBlock, SolanaNode } from './nodes/node.ts'

export function blocksOf(node: SolanaNode): Pick<ChainClient, 'tip' | 'tipHint' | 'headers' | 'finalHeight'> {
  const { tipHint } = node
  return {
    tip: () => newestBlock(node),
    ...(tipHint !== undefined && { tipHint: () => tipHint() }),
    headers: async (slots) => (slots.length === 0 ? [] : node.blocks(slots)),
    finalHeight: () => node.finalSlot(),
  }
}

export async function newestBlock(node: Pick<SolanaNode, 'block'>): Promise<SlotBlock> {
  const block = await node.block('latest')
  if (block === null) throw new ChainFailure('unreachable', 'the node has no block')
  return block
}
