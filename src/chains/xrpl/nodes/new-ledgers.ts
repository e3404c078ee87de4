/** New ledgers over WebSocket. A ledger is told when it is validated. */

import type { NewBlocks } from '../../port/abilities/new-blocks.ts'
import type { Endpoint } from '../../port/endpoints.ts'
import { subscribeToBlocks } from '../../providers/block-subscription.ts'

export function newLedgersOf(endpoints: readonly Endpoint[]): NewBlocks {
  return subscribeToBlocks(endpoints, { request: { id: 1, command: 'subscribe', streams: ['ledger'] }, told: ['type', 'ledgerClosed'] })
}
