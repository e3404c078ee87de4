/** New blocks of EVM chains, over WebSocket. */
import type { NewBlocks } from '../../port/abilities/new-blocks.ts'
import { overJsonRpc, subscribeToBlocks } from '../../providers/block-subscription.ts'

export function newHeadsOf(urls: readonly string[]): NewBlocks {
  return subscribeToBlocks(urls, overJsonRpc({ method: 'eth_subscribe', params: ['newHeads'] }, 'eth_subscription'))
}
