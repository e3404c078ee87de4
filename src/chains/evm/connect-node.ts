/** The node of a chain by its configuration, for every family that speaks the Ethereum JSON-RPC. */
import type { Chain } from '../../protocol/chain.ts'
import type { ConnectOptions } from '../family.ts'
import { createNode, type EvmNode } from './node.ts'

const REQUEST_TIMEOUT_MS = 10_000

/** `path`: where below each URL of kind `rpc` the Ethereum JSON-RPC is. Asks nobody anything yet. */
export function connectNode(chain: Chain, { endpoints }: Pick<ConnectOptions, 'endpoints' | 'quorum'>, path = ''): EvmNode {
  const [url] = endpoints.rpc ?? []
  if (url === undefined) throw new Error(`chain ${chain.id} needs an endpoint of kind "rpc"`)
  return createNode(url.replace(/\/+$/, '') + path, REQUEST_TIMEOUT_MS)
}
