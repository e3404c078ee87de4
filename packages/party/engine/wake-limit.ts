/** Limits how often others may wake a poll in vain: a burst at once, then one for each interval. What is dropped waits for the next poll. */

const BURST = 8

export interface WakeLimit {
  /** Whether this wake-up is allowed. */
  allows(): boolean
  /** A poll found an event of a swap, which costs its sender a fee: nobody can use that for load. So it is not counted, and many swaps in a row do not wait. */
  giveBack(): void
}

export function createWakeLimit(intervalMs: number, nowMs: () => number = () => performance.now()): WakeLimit {
  let left = BURST
  let countedAtMs = nowMs()
  return {
    allows() {
      const now = nowMs()
      left = Math.min(BURST, left + (now - countedAtMs) / intervalMs)
      countedAtMs = now
      if (left < 1) return false
      left -= 1
      return true
    },
    giveBack() {
      left = Math.min(BURST, left + 1)
    },
  }
}
