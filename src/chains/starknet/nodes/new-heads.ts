/** New blocks over WebSocket. A block is told when it is accepted on L2. */
import type { NewBlocks } from '../../port/abilities/new-blocks.ts'
import { subscribeToBlocks } from '../../providers/block-subscription.ts'

export function newHeadsOf(urls: readonly string[]): NewBlocks {
  return subscribeToBlocks(urls, { request: { method: 'starknet_subscribeNewHeads', params: {} }, told: 'starknet_subscriptionNewHeads' })
}
