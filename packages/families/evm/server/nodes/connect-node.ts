/** The node of a chain, from its configuration, for every family with the Ethereum JSON-RPC. */

import { withPath } from '@tandem/chain-kit/port/endpoints.ts'
import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { assertQuorum, connectProviders } from '@tandem/chain-kit/providers/connect-providers.ts'
import type { Provider } from '@tandem/chain-kit/providers/provider.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { withFeeCache } from './fee-cache.ts'
import { createNode, type EvmNode } from './node.ts'
import { createSharedNode } from './shared-node.ts'

const REQUEST_TIMEOUT_MS = 10_000

/** `path` is appended to each URL of kind `rpc`. Sends no request yet. */
export function connectNode(chain: Chain, options: Pick<ConnectOptions, 'endpoints' | 'quorum' | 'onTrouble'>, path = ''): EvmNode {
  const { quorum = 1, onTrouble = () => undefined } = options
  const providers = connectEvmProviders(chain, options, path)
  assertQuorum(chain.id, options.endpoints.rpc ?? [], quorum)
  const [only, ...others] = providers
  const node = only !== undefined && others.length === 0 ? only.node : createSharedNode(chain, providers, { quorum, onTrouble })
  return { ...withFeeCache(node, chain), finalHeight: withFixedTagSupport(node, (what) => onTrouble(`${chain.id}: ${what}`)) }
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

/** The single providers, without quorum. */
export function connectEvmProviders(
  chain: Chain,
  { endpoints }: Pick<ConnectOptions, 'endpoints'>,
  path = '',
): readonly Provider<EvmNode>[] {
  const nodes = (endpoints.rpc ?? []).map((endpoint) => withPath(endpoint, path))
  if (nodes.length === 0) throw new Error(`chain ${chain.id} needs an endpoint of kind "rpc"`)
  return connectProviders(chain.id, nodes, (endpoint) => createNode(endpoint, REQUEST_TIMEOUT_MS))
}
