/** New ledgers over WebSocket. A ledger is told when it is validated. */
import type { NewBlocks } from '../../port/abilities/new-blocks.ts'
import { subscribeToBlocks } from '../../providers/block-subscription.ts'

export function newLedgersOf(urls: readonly string[]): NewBlocks {
  return subscribeToBlocks(urls, { request: { id: 1, command: 'subscribe', streams: ['ledger'] }, told: ['type', 'ledgerClosed'] })
}
