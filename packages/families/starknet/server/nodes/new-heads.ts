/** New blocks over WebSocket. A block is told when it is accepted on L2. */

import type { NewBlocks } from '@tandem/chain-kit/port/abilities/new-blocks.ts'
import type { Endpoint } from '@tandem/chain-kit/port/endpoints.ts'
import { overJsonRpc, subscribeToBlocks } from '@tandem/chain-kit/providers/block-subscription.ts'

export function newHeadsOf(endpoints: readonly Endpoint[]): NewBlocks {
  return subscribeToBlocks(endpoints, overJsonRpc({ method: 'starknet_subscribeNewHeads', params: {} }, 'starknet_subscriptionNewHeads'))
}
