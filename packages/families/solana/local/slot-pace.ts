// How fast slots pass: one every 400 ms, and some more on demand, but not many: timelocks count slots.

export const SLOT_MS = 400
/** Blocks on demand: so many at once, and then one per slot on average. The bounds of the clock in the registry follow from it. */
const MAX_AT_ONCE = 100

export interface SlotPace {
  /** Unix milliseconds on the chain's clock. */
  now(): number
  /** The starts of the slots that have begun since the last call, oldest first; at most `max` of them. */
  takeDue(max: number): { readonly starts: readonly number[]; readonly omitted: number }
  /** Starts a slot now; false if too many were. The next one is due 400 ms later. */
  takeOneNow(): boolean
  /** Milliseconds until the next slot is due. */
  untilDue(): number
  /** The next slot is due in 400 ms, whatever was due. */
  restart(): void
  /** Moves the clock forward. */
  pass(ms: number): void
}

export function createSlotPace(): SlotPace {
  let aheadMs = 0
  const now = () => Date.now() + aheadMs
  let dueMs = now() + SLOT_MS
  let [left, countedMs] = [MAX_AT_ONCE, Date.now()]

  return {
    now,
    takeDue(max) {
      const count = Math.max(0, Math.floor((now() - dueMs) / SLOT_MS) + 1)
      const omitted = Math.max(0, count - max)
      const starts = Array.from({ length: count - omitted }, (_, index) => dueMs + (omitted + index) * SLOT_MS)
      dueMs += count * SLOT_MS
      return { starts, omitted }
    },
    takeOneNow() {
      // By the wall clock: to move the chain's clock gives no further blocks.
      const wallMs = Date.now()
      left = Math.min(MAX_AT_ONCE, left + (wallMs - countedMs) / SLOT_MS)
      countedMs = wallMs
      if (left < 1) return false
      left -= 1
      dueMs = now() + SLOT_MS
      return true
    },
    untilDue: () => Math.max(0, dueMs - now()),
    restart() {
      dueMs = now() + SLOT_MS
    },
    pass(ms) {
      aheadMs += ms
    },
  }
}
