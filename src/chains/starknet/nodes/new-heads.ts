/** New blocks over WebSocket. A block is told when it is accepted on L2. */
import type { NewBlocks } from '../../port/abilities/new-blocks.ts'
import { overJsonRpc, subscribeToBlocks } from '../../providers/block-subscription.ts'

export function newHeadsOf(urls: readonly string[]): NewBlocks {
  return subscribeToBlocks(urls, overJsonRpc({ method: 'starknet_subscribeNewHeads', params: {} }, 'starknet_subscriptionNewHeads'))
}
