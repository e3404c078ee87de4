/** New blocks over WebSocket. A block is told when it is accepted on L2. */

import type { NewBlocks } from '../../port/abilities/new-blocks.ts'
import type { Endpoint } from '../../port/endpoints.ts'
import { overJsonRpc, subscribeToBlocks } from '../../providers/block-subscription.ts'

export function newHeadsOf(endpoints: readonly Endpoint[]): NewBlocks {
  return subscribeToBlocks(endpoints, overJsonRpc({ method: 'starknet_subscribeNewHeads', params: {} }, 'starknet_subscriptionNewHeads'))
}
