/** Inspects each Bitcoin node for the report to operators. */
import type { Chain } from '../../../protocol/chain.ts'
import type { ProviderReport } from '../../port/abilities/inspect-providers.ts'
import { inspectProviders } from '../../providers/inspect.ts'
import type { BitcoinNetwork } from '../networks.ts'
import type { BitcoinNode } from './backend.ts'
import { ALLOWED_LAG, type BitcoinProvider } from './quorum-backend.ts'
import { networkProblem } from './verify-network.ts'

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
