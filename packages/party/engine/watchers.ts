/** Groups the watchers of this process, and shows their status to the operator. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { ChainWatcher } from './chain-watcher.ts'
import type { ChainStatus } from './engine-report.ts'
import { CHAIN_SILENCE_MS, READY_POLL_MS, READY_TIMEOUT_MS } from './times.ts'

export interface Watchers {
  readonly byChain: ReadonlyMap<ChainId, ChainWatcher>
  readonly all: readonly ChainWatcher[]
  mayHaveOpenOrder(): boolean
  isWatching(): boolean
  expectOrders(chains: Iterable<ChainId>): void
  announcedChains(): readonly ChainId[]
  isHealthy(chain: ChainId): boolean
  status(chain: ChainId): ChainStatus | null
  /** Resolves when every chain was read once, or after a timeout. */
  ready(): Promise<void>
}

export function groupWatchers(byChain: ReadonlyMap<ChainId, ChainWatcher>): Watchers {
  const all = [...byChain.values()]

  function isHealthy(chain: ChainId): boolean {
    return Date.now() - (byChain.get(chain)?.answeredAtMs ?? 0) < CHAIN_SILENCE_MS
  }

  return {
    byChain,
    all,
    mayHaveOpenOrder: () => all.some(({ mayBeOpen }) => mayBeOpen),
    isWatching: () => all.some((watcher) => watcher.isWatching),
    expectOrders(chains) {
      for (const chain of chains) byChain.get(chain)?.expectOrders()
    },
    announcedChains: () => [...byChain].filter(([, { isAnnounced }]) => isAnnounced).map(([chain]) => chain),
    isHealthy,
    status(chain) {
      const watcher = byChain.get(chain)
      if (watcher === undefined) return null
      const { status, answeredAtMs, isAnnounced } = watcher
      const silentMs = answeredAtMs === 0 ? null : Math.max(0, Date.now() - answeredAtMs)
      return { ...status, isHealthy: isHealthy(chain), silentMs, isAnnounced }
    },
    async ready() {
      const limit = Date.now() + READY_TIMEOUT_MS
      while (all.some(({ answeredAtMs }) => answeredAtMs === 0) && Date.now() < limit) await sleep(READY_POLL_MS)
    },
  }
}
