/** The node of a chain, from its configuration. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { assertQuorum, connectProviders } from '@tandem/chain-kit/providers/connect-providers.ts'
import type { Provider } from '@tandem/chain-kit/providers/provider.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { NodeRefusal, type XrplNode } from './node.ts'
import { createProviderNode } from './provider-node.ts'
import { createSharedNode } from './shared-node.ts'

const REQUEST_TIMEOUT_MS = 10_000

/** Sends no request yet. */
export function connectNode(chain: Chain, options: Pick<ConnectOptions, 'endpoints' | 'quorum' | 'onTrouble'>): XrplNode {
  const { quorum = 1, onTrouble = () => undefined } = options
  const providers = connectXrplProviders(chain, options)
  assertQuorum(chain.id, options.endpoints.ws ?? [], quorum)
  const [only, ...others] = providers
  return refusingNothing(only !== undefined && others.length === 0 ? only.node : createSharedNode(chain, providers, { quorum, onTrouble }))
}

/** A provider refuses what it does not have (yet). When no other one has it, that is a reason to ask again. */
function refusingNothing(node: XrplNode): XrplNode {
  const retried =
    <A extends readonly unknown[], T>(ask: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      try {
        return await ask(...args)
      } catch (error) {
        throw error instanceof NodeRefusal ? new ChainFailure('unreachable', error.message) : error
      }
    }
  const { account, escrow, escrowChanges, isAbsent } = node
  return {
    ...node,
    account: retried(account),
    escrow: retried(escrow),
    escrowChanges: retried(escrowChanges),
    isAbsent: retried(isAbsent),
  }
}

/** The single providers, without quorum. */
export function connectXrplProviders(chain: Chain, { endpoints }: Pick<ConnectOptions, 'endpoints'>): readonly Provider<XrplNode>[] {
  const nodes = endpoints.ws ?? []
  if (nodes.length === 0) throw new Error(`chain ${chain.id} needs an endpoint of kind "ws"`)
  return connectProviders(chain.id, nodes, (endpoint) => createProviderNode(endpoint, REQUEST_TIMEOUT_MS))
}
