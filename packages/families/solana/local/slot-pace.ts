// Sets the pace of slots: one every 400 ms, and only a few more on demand, because timelocks count slots.

export const SLOT_MS = 400
/** This many blocks on demand may come at once, and then one per slot on average. The registry's bounds of the clock follow from it. */
const MAX_AT_ONCE = 100

export interface SlotPace {
  /** The time is in unix milliseconds on the chain's clock. */
  now(): number
  /** Returns the starts of the slots that have begun since the last call, oldest first and at most `max`. */
  takeDue(max: number): { readonly starts: readonly number[]; readonly omitted: number }
  /** Starts a slot now; the next one is due 400 ms later. Returns false if too many were started on demand. */
  takeOneNow(): boolean
  /** The time is in milliseconds. */
  untilDue(): number
  restart(): void
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
      // The limit uses the wall clock: moving the chain's clock gives no further blocks.
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
