/** Inspects each provider for the report to operators. */

import type { ProviderReport } from '@tandem/chain-kit/port/abilities/inspect-providers.ts'
import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { allowedLagOf } from '@tandem/chain-kit/providers/agreed-blocks.ts'
import { inspectProviders } from '@tandem/chain-kit/providers/inspect.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { chainProblem } from '../../terms/nodes/chain-problem.ts'
import { connectXrplProviders } from './connect-node.ts'
import { newestOf } from './shared-node.ts'

export async function inspectXrplProviders(chain: Chain, options: Pick<ConnectOptions, 'endpoints'>): Promise<readonly ProviderReport[]> {
  const providers = connectXrplProviders(chain, options)
  try {
    return await inspectProviders(chain, providers, {
      problemOf: (node) => chainProblem(chain, node),
      height: async (node) => (await newestOf(node)).height,
      hasEventsAt: (node, height) => node.hasLedger(height),
      // Every validated ledger is final.
      tags: async () => [],
      allowedLag: allowedLagOf(chain),
    })
  } finally {
    for (const { node } of providers) node.close()
  }
}
