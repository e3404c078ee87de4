/** Inspects each provider for the report to operators. */
import type { Chain } from '../../../protocol/chain.ts'
import type { ProviderReport } from '../../port/abilities/inspect-providers.ts'
import type { ConnectOptions } from '../../port/family.ts'
import { allowedLagOf } from '../../providers/agreed-blocks.ts'
import { inspectProviders } from '../../providers/inspect.ts'
import { chainProblem } from './chain-problem.ts'
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
