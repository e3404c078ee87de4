/**
 * Keeps in memory what the polls of this process have read from a chain: evidence that does not depend on tables. Every reorg empties it,
 * and so does every chance that another process has seen one. Events that are missing here are read from the chain again.
 */
import type { HtlcEvent, SwapId } from '@tandem/protocol/htlc.ts'

export interface SeenEvents {
  note(events: readonly HtlcEvent[]): void
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
