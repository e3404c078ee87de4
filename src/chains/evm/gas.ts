/** How much gas a call may use: asked of the node where it can tell, a safe constant where it cannot. */
import type { EvmNode, NodeCall } from './node.ts'
import { NodeRefusal } from './rpc.ts'

/** Several times what the contracts use with a plain token, since tokens behind proxies and rollups that charge for data take more. */
export const fallbackGas = { approve: 150_000n, initiate: 400_000n, redeem: 300_000n, refund: 300_000n, cancel: 100_000n } as const

/** A fifth on top, because other transactions may change the state before this one is mined. */
export async function gasFor(node: EvmNode, call: NodeCall, fallback: bigint): Promise<bigint> {
  try {
    return ((await node.estimateGas(call)) * 6n) / 5n
  } catch (error) {
    if (error instanceof NodeRefusal) return fallback
    throw error
  }
}
