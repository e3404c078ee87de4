/** New blocks of EVM chains, over WebSocket. */
import type { NewBlocks } from '../../port/abilities/new-blocks.ts'
import { subscribeToBlocks } from '../../providers/block-subscription.ts'

export function newHeadsOf(urls: readonly string[]): NewBlocks {
  return subscribeToBlocks(urls, { request: { method: 'eth_subscribe', params: ['newHeads'] }, told: 'eth_subscription' })
}
