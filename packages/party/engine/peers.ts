/** Exchanges signals between this engine and the other processes of the database. */
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Database } from '../store/database/database.ts'
import { openSignals } from '../store/database/signals.ts'
import { CHAIN, ORDERS, takeSignal } from './engine-signals.ts'
import type { Shards } from './shards.ts'
import type { Watchers } from './watchers.ts'

export interface Peers {
  expectOrders(chains: Iterable<ChainId>): void
  wakeChain(chain: ChainId): void
  signal(signal: string): void
  close(): Promise<void>
}

export type PeersOptions = {
  readonly db: Database
  readonly shards: Pick<Shards, 'isAlone' | 'isFollowed'>
  readonly watchers: Watchers
  readonly onDerived: () => void
  readonly onWritten: () => void
  readonly onFree: () => void
}

export function openPeers({ db, shards, watchers, onDerived, onWritten, onFree }: PeersOptions): Peers {
  const { byChain } = watchers
  const signals = openSignals(db, (received) =>
    takeSignal(received, {
      onOrders: watchers.expectOrders,
      onChain: (chain) => byChain.get(chain)?.hint(),
      onDerived,
      onWake() {
        watchers.expectOrders(byChain.keys())
        onWritten()
      },
      onFree,
    }),
  )

  /** No signal is sent while this is the only process of the database. */
  function signal(sent: string): void {
    if (!shards.isAlone() || shards.isFollowed()) signals.send(sent)
  }

  return {
    expectOrders(chains) {
      const concerned = [...new Set(chains)]
      watchers.expectOrders(concerned)
      const others = concerned.filter((chain) => byChain.get(chain)?.isWatching !== true)
      if (others.length > 0) signal(`${ORDERS}${others.join(' ')}`)
    },
    wakeChain(chain) {
      const watcher = byChain.get(chain)
      if (watcher === undefined) return
      watcher.hint()
      // If our nodes announce blocks, so do those of the process that polls the chain: the block itself wakes it.
      if (!watcher.isWatching && !watcher.isAnnounced) signal(`${CHAIN}${chain}`)
    },
    signal,
    close: signals.close,
  }
}
