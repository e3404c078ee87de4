// Types a JSON-RPC method and its context.
import type { BlockNode } from '../chain/block-node.ts'
import type { FaultState } from '../http/faults.ts'
import type { JsonValue } from '../http/json.ts'
import type { BitcoinNode } from '../node.ts'
import { RPC, RpcError, type RpcParams } from './rpc-params.ts'

export type RpcContext = {
  readonly node: BitcoinNode
  readonly faults: FaultState
  readonly estimatedSatsPerKvb: bigint | null
  readonly startedAtSeconds: number
}

export type RpcMethod = {
  readonly parameters: readonly string[]
  run(params: RpcParams, context: RpcContext): JsonValue
}

export type RpcMethods = Readonly<Record<string, RpcMethod>>

export function requireBlock(node: BitcoinNode, hash: string): BlockNode {
  const block = node.chain.find(hash)
  if (block === undefined) throw new RpcError(RPC.INVALID_ADDRESS_OR_KEY, 'Block not found')
  return block
}
