/** New slots over WebSocket. A slot is told when its block is processed, a moment before it is confirmed. */

import type { NewBlocks } from '@tandem/chain-kit/port/abilities/new-blocks.ts'
import type { Endpoint } from '@tandem/chain-kit/port/endpoints.ts'
import { overJsonRpc, subscribeToBlocks } from '@tandem/chain-kit/providers/block-subscription.ts'

export function newSlotsOf(endpoints: readonly Endpoint[]): NewBlocks {
  return subscribeToBlocks(endpoints, overJsonRpc({ method: 'slotSubscribe', params: [] }, 'slotNotification'))
}
