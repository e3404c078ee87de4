/** Connects the node of a chain from its configuration. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { createConnector } from '@tandem/chain-kit/providers/connector.ts'
import { feltOf } from '../../terms/address.ts'
import { starknetDataOf } from '../../terms/chain-data.ts'
import { chainProblem } from './chain-problem.ts'
import { NodeRefusal, type StarknetNode } from './node.ts'
import { createProviderNode } from './provider-node.ts'
import { newestOf } from './read-blocks.ts'
import { createSharedNode } from './shared-node.ts'

/** No event has this key. */
const NO_EVENT = '0x0'

export const { connectNode, inspectNodes } = createConnector<StarknetNode>({
  kind: 'rpc',
  connect: createProviderNode,
  share: createSharedNode,
  problemOf: chainProblem,
  probes(chain) {
    const address = feltOf(starknetDataOf(chain).feeToken)
    return {
      height: async (node) => (await newestOf(node)).height,
      hasEventsAt: (node, height) => succeeds(() => node.events({ address, keys: [[NO_EVENT]], from: height, to: height })),
      tags: async (node) => ((await succeeds(() => node.finalHeight())) ? ['finalized'] : []),
    }
  },
})

async function succeeds(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask()
    return true
  } catch (error) {
    if (error instanceof NodeRefusal || error instanceof ChainFailure) return false
    throw error
  }
}
