/** Inspects each provider for the report to operators. */

import type { ProviderReport } from '@tandem/chain-kit/port/abilities/inspect-providers.ts'
import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { allowedLagOf } from '@tandem/chain-kit/providers/agreed-blocks.ts'
import { inspectProviders } from '@tandem/chain-kit/providers/inspect.ts'
import { Refusal } from '@tandem/chain-kit/providers/refusal.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { chainProblem } from '../../terms/nodes/chain-problem.ts'
import { newestBlock } from '../blocks.ts'
import { connectSuiProviders } from './connect-node.ts'
import type { SuiNode } from './node.ts'

export async function inspectSuiProviders(chain: Chain, options: Pick<ConnectOptions, 'endpoints'>): Promise<readonly ProviderReport[]> {
  const providers = connectSuiProviders(chain, options)
  try {
    return await inspectProviders(chain, providers, {
      problemOf: (node) => chainProblem(chain, node),
      height: async (node) => (await newestBlock(node)).height,
      hasEventsAt,
      // Every checkpoint is final.
      tags: async () => [],
      allowedLag: allowedLagOf(chain),
    })
  } finally {
    for (const { node } of providers) node.close()
  }
}

/** A node that has pruned a checkpoint does not have its events either. */
async function hasEventsAt(node: SuiNode, height: bigint): Promise<boolean> {
  try {
    return (await node.checkpoints(height, height, [])).length > 0
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}
