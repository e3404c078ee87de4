/** New slots over WebSocket. A slot is told when its block is processed, a moment before it is confirmed. */
import type { NewBlocks } from '../../port/abilities/new-blocks.ts'
import { subscribeToBlocks } from '../../providers/block-subscription.ts'

export function newSlotsOf(urls: readonly string[]): NewBlocks {
  return subscribeToBlocks(urls, { request: { method: 'slotSubscribe', params: [] }, told: 'slotNotification' })
}
