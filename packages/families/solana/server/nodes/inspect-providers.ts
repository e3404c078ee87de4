/** Inspects each provider for the report to operators. */

import type { ProviderReport } from '@tandem/chain-kit/port/abilities/inspect-providers.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { allowedLagOf } from '@tandem/chain-kit/providers/agreed-blocks.ts'
import { inspectProviders } from '@tandem/chain-kit/providers/inspect.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { chainProblem } from '../../terms/nodes/chain-problem.ts'
import { newestBlock } from '../blocks.ts'
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
