/** Inspects each EVM provider for the report to operators. */

import type { ProviderReport } from '@tandem/chain-kit/port/abilities/inspect-providers.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { allowedLagOf } from '@tandem/chain-kit/providers/agreed-blocks.ts'
import { inspectProviders } from '@tandem/chain-kit/providers/inspect.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { zeroAddress } from 'viem'
import { chainProblem } from '../../terms/nodes/chain-problem.ts'
import { newestBlock } from '../blocks.ts'
import { connectEvmProviders } from './connect-node.ts'
import type { EvmNode } from './node.ts'
import { NodeRefusal } from './rpc.ts'

const FINALITY_TAGS = ['safe', 'finalized'] as const
/** A topic that no event has. */
const NO_EVENT = `0x${'00'.repeat(32)}` as const

export async function inspectEvmProviders(
  chain: Chain,
  options: Pick<ConnectOptions, 'endpoints'>,
  path?: string,
): Promise<readonly ProviderReport[]> {
  const providers = connectEvmProviders(chain, options, path)
  try {
    return await inspectProviders(chain, providers, {
      problemOf: (node) => chainProblem(chain, node),
      height: async (node) => (await newestBlock(node)).height,
      hasEventsAt,
      tags: knownTags,
      allowedLag: allowedLagOf(chain),
    })
  } finally {
    for (const { node } of providers) node.close()
  }
}

async function knownTags(node: EvmNode): Promise<readonly string[]> {
  const known = await Promise.all(FINALITY_TAGS.map((tag) => knowsTag(node, tag)))
  return FINALITY_TAGS.filter((_, i) => known[i])
}

async function knowsTag(node: EvmNode, tag: (typeof FINALITY_TAGS)[number]): Promise<boolean> {
  try {
    return (await node.finalHeight(tag)) !== null
  } catch (error) {
    if (error instanceof ChainFailure) return false
    throw error
  }
}

async function hasEventsAt(node: EvmNode, height: bigint): Promise<boolean> {
  try {
    if ((await node.block(height)) === null) return false
    await node.logs({ addresses: [zeroAddress], events: [NO_EVENT], from: height, to: height })
    return true
  } catch (error) {
    if (error instanceof NodeRefusal || error instanceof ChainFailure) return false
    throw error
  }
}
