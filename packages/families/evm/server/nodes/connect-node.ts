/** Connects the node of a chain by its configuration, for every family with the Ethereum JSON-RPC. */

import type { ProviderReport } from '@tandem/chain-kit/port/abilities/reading.ts'
import { withPath } from '@tandem/chain-kit/port/endpoints.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { createConnector } from '@tandem/chain-kit/providers/connector.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { zeroAddress } from 'viem'
import { chainProblem } from '../../terms/nodes/chain-problem.ts'
import { newestBlock } from '../blocks.ts'
import { withFeeCache } from './fee-cache.ts'
import { createNode, type EvmNode } from './node.ts'
import { NodeRefusal } from './rpc.ts'
import { createSharedNode } from './shared-node.ts'

const FINALITY_TAGS = ['safe', 'finalized'] as const
const NO_EVENT = `0x${'00'.repeat(32)}` as const

const connector = createConnector<EvmNode>({
  kind: 'rpc',
  connect: createNode,
  share: createSharedNode,
  problemOf: chainProblem,
  probes: () => ({ height: async (node) => (await newestBlock(node)).height, hasEventsAt, tags: knownTags }),
})

/** `path` is appended to each URL of kind `rpc`. No request is sent yet. */
export function connectNode(chain: Chain, options: Pick<ConnectOptions, 'endpoints' | 'quorum' | 'onTrouble'>, path = ''): EvmNode {
  const { onTrouble = () => undefined } = options
  const node = connector.connectNode(chain, below(path, options))
  return { ...withFeeCache(node, chain), finalHeight: withFixedTagSupport(node, (what) => onTrouble(`${chain.id}: ${what}`)) }
}

export function inspectNodes(chain: Chain, options: Pick<ConnectOptions, 'endpoints'>, path = ''): Promise<readonly ProviderReport[]> {
  return connector.inspectNodes(chain, below(path, options))
}

function below<O extends Pick<ConnectOptions, 'endpoints'>>(path: string, options: O): O {
  const { rpc = [] } = options.endpoints
  return { ...options, endpoints: { ...options.endpoints, rpc: rpc.map((endpoint) => withPath(endpoint, path)) } }
}

/**
 * The first answer decides whether the nodes support a tag. Nodes that refuse it later are faulty: final blocks stay final,
 * and no further block becomes final until the nodes answer again.
 */
function withFixedTagSupport(node: EvmNode, onTrouble: (what: string) => void): EvmNode['finalHeight'] {
  const known = new Map<string, boolean>()
  return async (tag) => {
    if (known.get(tag) === false) return null
    const height = await node.finalHeight(tag)
    if (!known.has(tag)) {
      known.set(tag, height !== null)
      if (height === null) onTrouble(`the nodes do not support the "${tag}" tag: finality is by depth alone`)
    }
    return known.get(tag) === true ? (height ?? 0n) : null
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
