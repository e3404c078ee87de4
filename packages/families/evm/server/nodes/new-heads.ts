/** Subscribes to new blocks of EVM chains over WebSocket. */

import type { NewBlocks } from '@tandem/chain-kit/port/abilities/reading.ts'
import type { Endpoint } from '@tandem/chain-kit/port/endpoints.ts'
import { overJsonRpc, subscribeToBlocks } from '@tandem/chain-kit/providers/block-subscription.ts'

export function newHeadsOf(endpoints: readonly Endpoint[]): NewBlocks {
  return subscribeToBlocks(endpoints, overJsonRpc({ method: 'eth_subscribe', params: ['newHeads'] }, 'eth_subscription'))
}
