/** Reads events of the HTLC on Tron: the logs are those of EVM chains; addresses and transaction ids are written as Tron writes them. */

import type { EventReader } from '@tandem/chain-kit/contract/event-reader.ts'
import type { WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import { createEventReader as createEvmEventReader } from '@tandem/evm/server/events.ts'
import type { EvmNode } from '@tandem/evm/server/nodes/node.ts'
import type { Contracts } from '@tandem/evm/terms/htlc.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import { evmTerms } from '../terms/htlc.ts'

export function createEventReader(node: EvmNode, contracts: Contracts, chain: Pick<Chain, 'blockMs'>): EventReader {
  const reader = createEvmEventReader(node, contracts, chain)
  return {
    read: async (watched, from, to) => (await reader.read(evmWatched(watched), from, to)).map(withTronId),
    async readBranch(watched, from, end, heights) {
      const { events, headers } = await reader.readBranch(evmWatched(watched), from, end, heights)
      return { events: events.map(withTronId), headers }
    },
  }
}

function withTronId(event: HtlcEvent): HtlcEvent {
  return { ...event, tx: event.tx.replace(/^0x/, '') }
}

function evmWatched(watched: WatchedSwaps): WatchedSwaps {
  return {
    isEmpty: watched.isEmpty,
    async find(seen) {
      const found = await watched.find(seen)
      return {
        bySwapId(swapId) {
          const swap = found.bySwapId(swapId)
          return swap && { ...swap, terms: evmTerms(swap.terms) }
        },
        byDeposit: found.byDeposit,
      }
    },
    active: watched.active,
    newest: watched.newest,
    funded: watched.funded,
    bySecretHash: watched.bySecretHash,
    solverParties: watched.solverParties,
  }
}
