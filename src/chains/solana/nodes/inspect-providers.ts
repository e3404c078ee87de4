/** Inspects each provider for the report to operators. */
import type { Chain } from '../../../protocol/chain.ts'
import type { ProviderReport } from '../../port/abilities/inspect-providers.ts'
import { ChainFailure } from '../../port/failure.ts'
import type { ConnectOptions } from '../../port/family.ts'
import { allowedLagOf } from '../../providers/agreed-blocks.ts'
import { inspectProviders } from '../../providers/inspect.ts'
import { newestBlock } from '../blocks.ts'
import { chainProblem } from './chain-problem.ts'
import { connectSolanaProviders } from './connect-node.ts'
import type { SolanaNode } from './node.ts'

const PROBED_SLOTS = 16

export async function inspectSolanaProviders(chain: Chain, options: Pick<ConnectOptions, 'endpoints'>): Promise<readonly ProviderReport[]> {
  const providers = connectSolanaProviders(chain, options)
  try {
    return await inspectProviders(chain, providers, {
      problemOf: (node) => chainProblem(chain, node),
      height: async (node) => (await newestBlock(node)).height,
      hasEventsAt,
      tags: async (node) => ((await node.finalSlot()) > 0n ? ['finalized'] : []),
      allowedLag: allowedLagOf(chain),
    })
  } finally {
    for (const { node } of providers) node.close()
  }
}

/** A node serves the transactions of the blocks that it serves. Some slots have no block. */
async function hasEventsAt(node: SolanaNode, slot: bigint): Promise<boolean> {
  try {
    return (await node.blocks(Array.from({ length: PROBED_SLOTS }, (_, i) => slot + BigInt(i)))).length > 0
  } catch (error) {
    if (error instanceof ChainFailure) return false
    throw error
  }
}
