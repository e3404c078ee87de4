/** New ledgers over WebSocket. A ledger is told when it is validated. */

import type { NewBlocks } from '@tandem/chain-kit/port/abilities/new-blocks.ts'
import type { Endpoint } from '@tandem/chain-kit/port/endpoints.ts'
import { subscribeToBlocks } from '@tandem/chain-kit/providers/block-subscription.ts'

export function newLedgersOf(endpoints: readonly Endpoint[]): NewBlocks {
  return subscribeToBlocks(endpoints, { request: { id: 1, command: 'subscribe', streams: ['ledger'] }, told: ['type', 'ledgerClosed'] })
}
