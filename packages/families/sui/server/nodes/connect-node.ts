/** Connects the node of a chain from its configuration. */
import { createConnector } from '@tandem/chain-kit/providers/connector.ts'
import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import { chainProblem } from '../../terms/nodes/chain-problem.ts'
import { newestBlock } from '../blocks.ts'
import type { SuiNode } from './node.ts'
import { createProviderNode } from './provider-node.ts'
import { createSharedNode } from './shared-node.ts'

export const { connectNode, inspectNodes } = createConnector<SuiNode>({
  kind: 'rpc',
  connect: createProviderNode,
  share: createSharedNode,
  problemOf: chainProblem,
  probes: () => ({
    height: async (node) => (await newestBlock(node)).height,
    hasEventsAt,
    // Every checkpoint is final.
    tags: async () => [],
  }),
})

/** A node that has pruned a checkpoint does not have its events either. */
async function hasEventsAt(node: SuiNode, height: bigint): Promise<boolean> {
  try {
    return (await node.checkpoints(height, height, [])).length > 0
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}
