/** How many actions run at once. They mostly wait for nodes, so those of a chain whose nodes do not answer must leave room for the others. */
import type { ChainId } from '../protocol/chain-id.ts'
import type { LeaseQuery } from '../store/actions/actions.ts'

const MOST = 64
const MOST_OF_CHAIN = 48

export interface Slots {
  /** What may be leased now. */
  query(): LeaseQuery
  /** Resolves when all that runs has ended. */
  idle(): Promise<void>
  readonly isIdle: boolean
  /** `work` never rejects. */
  run(chain: ChainId, work: () => Promise<void>): void
}

/** `onFree`: a slot of a full chain is free again, or the first one when all were taken. */
export function createSlots(onFree: () => void): Slots {
  const running = new Set<Promise<void>>()
  const used = new Map<ChainId, number>()

  return {
    get isIdle() {
      return running.size === 0
    },
    query: () => ({ limit: MOST - running.size, perChain: MOST_OF_CHAIN, inProgress: used }),
    idle: async () => void (await Promise.all(running)),
    run(chain, work) {
      used.set(chain, (used.get(chain) ?? 0) + 1)
      const done = work().finally(() => {
        running.delete(done)
        const left = (used.get(chain) ?? 1) - 1
        if (left === 0) used.delete(chain)
        else used.set(chain, left)
        if (running.size === MOST - 1 || left === MOST_OF_CHAIN - 1) onFree()
      })
      running.add(done)
    },
  }
}
