/** Inspects each provider for the report to operators. */

import type { ProviderReport } from '@tandem/chain-kit/port/abilities/inspect-providers.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { allowedLagOf } from '@tandem/chain-kit/providers/agreed-blocks.ts'
import { inspectProviders } from '@tandem/chain-kit/providers/inspect.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { feltOf } from '../../terms/address.ts'
import { starknetDataOf } from '../../terms/chain-data.ts'
import { chainProblem } from './chain-problem.ts'
import { connectStarknetProviders } from './connect-node.ts'
import { NodeRefusal } from './node.ts'
import { newestOf } from './read-blocks.ts'

/** A key that no event has. */
const NO_EVENT = '0x0'

export async function inspectStarknetProviders(
  chain: Chain,
  options: Pick<ConnectOptions, 'endpoints'>,
): Promise<readonly ProviderReport[]> {
  const providers = connectStarknetProviders(chain, options)
  const contract = feltOf(starknetDataOf(chain).feeToken)
  try {
    return await inspectProviders(chain, providers, {
      problemOf: (node) => chainProblem(chain, node),
      height: async (node) => (await newestOf(node)).height,
      hasEventsAt: (node, height) => succeeds(() => node.events({ address: contract, keys: [[NO_EVENT]], from: height, to: height })),
      tags: async (node) => ((await succeeds(() => node.finalHeight())) ? ['finalized'] : []),
      allowedLag: allowedLagOf(chain),
    })
  } finally {
    for (const { node } of providers) node.close()
  }
}

async function succeeds(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask()
    return true
  } catch (error) {
    if (error instanceof NodeRefusal || error instanceof ChainFailure) return false
    throw error
  }
}
