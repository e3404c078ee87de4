/** Connects the node of a chain, from its configuration. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { createConnector } from '@tandem/chain-kit/providers/connector.ts'
import { chainProblem } from '../../terms/nodes/chain-problem.ts'
import { NodeRefusal, type XrplNode } from './node.ts'
import { createProviderNode } from './provider-node.ts'
import { createSharedNode, newestOf } from './shared-node.ts'

const connector = createConnector<XrplNode>({
  kind: 'ws',
  connect: createProviderNode,
  share: createSharedNode,
  problemOf: chainProblem,
  probes: () => ({
    height: async (node) => (await newestOf(node)).height,
    hasEventsAt: (node, height) => node.hasLedger(height),
    // Every validated ledger is final.
    tags: async () => [],
  }),
})

export const { inspectNodes } = connector

/** The node gets no request yet. */
export const connectNode: typeof connector.connectNode = (...args) => refusingNothing(connector.connectNode(...args))

/** A provider refuses a request for data that it does not have yet. If no other one has them, the caller should retry. */
function refusingNothing(node: XrplNode): XrplNode {
  const retried =
    <A extends readonly unknown[], T>(ask: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      try {
        return await ask(...args)
      } catch (error) {
        throw error instanceof NodeRefusal ? new ChainFailure('unreachable', error.message) : error
      }
    }
  const { account, escrow, escrowChanges, isAbsent } = node
  return {
    ...node,
    account: retried(account),
    escrow: retried(escrow),
    escrowChanges: retried(escrowChanges),
    isAbsent: retried(isAbsent),
  }
}
