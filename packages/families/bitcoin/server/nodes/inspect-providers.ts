/** Inspects each Bitcoin node for the report to operators. */

import type { ProviderReport } from '@tandem/chain-kit/port/abilities/inspect-providers.ts'
import { inspectProviders } from '@tandem/chain-kit/providers/inspect.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { networkProblem } from '../../terms/nodes/verify-network.ts'
import type { BitcoinNode } from './backend.ts'
import { ALLOWED_LAG, type BitcoinProvider } from './quorum-backend.ts'

export function inspectNodes(
  chain: Pick<Chain, 'blockMs'>,
  network: BitcoinNetwork,
  providers: readonly BitcoinProvider[],
): Promise<readonly ProviderReport[]> {
  return inspectProviders<BitcoinNode>(chain, providers, {
    problemOf: (node) => networkProblem(network, node),
    height: async (node) => (await node.tip()).height,
    hasEventsAt: hasBlock,
    tags: async () => [],
    allowedLag: ALLOWED_LAG,
  })
}

/** Asks for the raw block: a pruned node still has the header. */
async function hasBlock(node: BitcoinNode, height: bigint): Promise<boolean> {
  const block = await node.blockAt(height)
  return block !== null && (await node.rawBlock(block.hash)) !== null
}
