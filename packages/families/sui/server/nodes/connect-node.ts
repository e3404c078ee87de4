/** The node of a chain, from its configuration. */

import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { assertQuorum, connectProviders } from '@tandem/chain-kit/providers/connect-providers.ts'
import type { Provider } from '@tandem/chain-kit/providers/provider.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { SuiNode } from './node.ts'
import { createProviderNode } from './provider-node.ts'
import { createSharedNode } from './shared-node.ts'

const REQUEST_TIMEOUT_MS = 10_000

/** Sends no request yet. */
export function connectNode(chain: Chain, options: Pick<ConnectOptions, 'endpoints' | 'quorum' | 'onTrouble'>): SuiNode {
  const { quorum = 1, onTrouble = () => undefined } = options
  const providers = connectSuiProviders(chain, options)
  assertQuorum(chain.id, options.endpoints.rpc ?? [], quorum)
  const [only, ...others] = providers
  return only !== undefined && others.length === 0 ? only.node : createSharedNode(chain, providers, { quorum, onTrouble })
}

/** The single providers, without quorum. */
export function connectSuiProviders(chain: Chain, { endpoints }: Pick<ConnectOptions, 'endpoints'>): readonly Provider<SuiNode>[] {
  const nodes = endpoints.rpc ?? []
  if (nodes.length === 0) throw new Error(`chain ${chain.id} needs an endpoint of kind "rpc"`)
  return connectProviders(chain.id, nodes, (endpoint) => createProviderNode(endpoint, REQUEST_TIMEOUT_MS))
}
