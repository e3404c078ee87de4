/** Connects the node of a chain from its configuration. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { createConnector } from '@tandem/chain-kit/providers/connector.ts'
import { chainProblem } from '../../terms/nodes/chain-problem.ts'
import { newestBlock } from '../blocks.ts'
import type { SolanaNode } from './node.ts'
import { createProviderNode } from './provider-node.ts'
import { createSharedNode } from './shared-node.ts'

const PROBED_SLOTS = 16

export const { connectNode, inspectNodes } = createConnector<SolanaNode>({
  kind: 'rpc',
  connect: createProviderNode,
  share: createSharedNode,
  problemOf: chainProblem,
  probes: () => ({
    height: async (node) => (await newestBlock(node)).height,
    hasEventsAt,
    tags: async (node) => ((await node.finalSlot()) > 0n ? ['finalized'] : []),
  }),
})

/** A node has the transactions of all blocks that it has. Some slots have no block. */
async function hasEventsAt(node: SolanaNode, slot: bigint): Promise<boolean> {
  try {
    return (await node.blocks(Array.from({ length: PROBED_SLOTS }, (_, i) => slot + BigInt(i)))).length > 0
  } catch (error) {
    if (error instanceof ChainFailure) return false
    throw error
  }
}
