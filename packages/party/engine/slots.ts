/** Limits the actions that run at once. Those of a chain whose nodes do not answer must leave slots for the others. */
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { LeaseQuery } from '../store/actions/actions.ts'

const MAX_RUNNING = 64
const MAX_PER_CHAIN = 48

export interface Slots {
  query(): LeaseQuery
  readonly isIdle: boolean
  idle(): Promise<void>
  /** Returns how long the actions of one of these chains have had no free slot; 0 if they have one. */
  fullMs(isCounted: (chain: ChainId) => boolean): number
  /** `work` must not reject. */
  run(chain: ChainId, work: () => Promise<void>): void
}

export function createSlots(onFree: () => void, nowMs: () => number = () => performance.now()): Slots {
  const running = new Set<Promise<void>>()
  const used = new Map<ChainId, number>()
  const fullSince = new Map<ChainId, number>()

  function note(chain: ChainId, change: number): void {
    const count = (used.get(chain) ?? 0) + change
    if (count === 0) used.delete(chain)
    else used.set(chain, count)
    if (count < MAX_PER_CHAIN) fullSince.delete(chain)
    else fullSince.set(chain, nowMs())
  }

  return {
    query: () => ({ limit: MAX_RUNNING - running.size, perChain: MAX_PER_CHAIN, inProgress: used }),
    get isIdle() {
      return running.size === 0
    },
    idle: async () => void (await Promise.all(running)),
    fullMs: (isCounted) => Math.max(0, ...[...fullSince].map(([chain, sinceMs]) => (isCounted(chain) ? nowMs() - sinceMs : 0))),
    run(chain, work) {
      note(chain, 1)
      const done = work().finally(() => {
        const wasFull = running.size === MAX_RUNNING || fullSince.has(chain)
        running.delete(done)
        note(chain, -1)
        if (wasFull) onFree()
      })
      running.add(done)
    },
  }
}
