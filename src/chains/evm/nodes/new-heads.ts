/** New blocks of EVM chains, over WebSocket. */

import type { NewBlocks } from '../../port/abilities/new-blocks.ts'
import type { Endpoint } from '../../port/endpoints.ts'
import { overJsonRpc, subscribeToBlocks } from '../../providers/block-subscription.ts'

export function newHeadsOf(endpoints: readonly Endpoint[]): NewBlocks {
  return subscribeToBlocks(endpoints, overJsonRpc({ method: 'eth_subscribe', params: ['newHeads'] }, 'eth_subscription'))
}
