/**
 * What the polls of this process have read from a chain, in memory: evidence that no table can replace. It is emptied by every reorg, and whenever another
 * process may have seen one: what is not here is read from the chain again.
 */
import type { HtlcEvent, SwapId } from '@tandem/protocol/htlc.ts'

export interface SeenEvents {
  note(events: readonly HtlcEvent[]): void
  /** Mined events of this swap. Not necessarily all. */
  of(swapId: SwapId): readonly HtlcEvent[]
  clear(): void
}

/** The oldest swap is evicted first. */
const MAX_EVENTS = 50_000

export function createSeenEvents(maxEvents = MAX_EVENTS): SeenEvents {
  const bySwap = new Map<SwapId, Map<string, HtlcEvent>>()
  let count = 0
  return {
    note(events) {
      for (const event of events) {
        if (event.block === null) continue
        const known = bySwap.get(event.swapId) ?? new Map<string, HtlcEvent>()
        bySwap.set(event.swapId, known)
        const key = `${event.tx} ${event.index}`
        if (!known.has(key)) count += 1
        known.set(key, event)
      }
      for (const [swapId, known] of bySwap) {
        if (count <= maxEvents) break
        bySwap.delete(swapId)
        count -= known.size
      }
    },
    of: (swapId) => [...(bySwap.get(swapId)?.values() ?? [])],
    clear() {
      bySwap.clear()
      count = 0
    },
  }
}
