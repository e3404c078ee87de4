/** Throttles the wake-ups of a poll by others: a burst at once, then one for each interval. One that comes too early follows after an interval. */

const BURST = 8

export interface WakeThrottle {
  wake(): void
  /** A poll found an event of a swap, which costs its sender a fee: nobody can use that for load. So it is not counted, and many swaps in a row do not wait. */
  giveBack(): void
  stop(): void
}

export function createWakeThrottle(intervalMs: number, wake: () => void, nowMs: () => number = () => performance.now()): WakeThrottle {
  let left = BURST
  let countedAtMs = nowMs()
  let delayed: NodeJS.Timeout | null = null

  function allows(): boolean {
    const now = nowMs()
    left = Math.min(BURST, left + (now - countedAtMs) / intervalMs)
    countedAtMs = now
    if (left < 1) return false
    left -= 1
    return true
  }

  return {
    wake() {
      if (allows()) wake()
      // The next regular poll may be far away.
      else
        delayed ??= setTimeout(() => {
          delayed = null
          wake()
        }, intervalMs)
    },
    giveBack() {
      left = Math.min(BURST, left + 1)
    },
    stop() {
      if (delayed !== null) clearTimeout(delayed)
    },
  }
}
