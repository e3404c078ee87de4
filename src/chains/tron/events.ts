/** Events of the HTLC on Tron: the logs are those of EVM chains; addresses and transaction ids are written as Tron writes them. */
import type { Chain } from '../../protocol/chain.ts'
import type { HtlcEvent } from '../../protocol/htlc.ts'
import { createEventReader as createEvmEventReader, type EventReader } from '../evm/events.ts'
import type { Contracts } from '../evm/htlc.ts'
import type { EvmNode } from '../evm/nodes/node.ts'
import type { WatchedSwaps } from '../port/watched-swaps.ts'
import { evmTerms } from './htlc.ts'

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
