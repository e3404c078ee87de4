/** Throttles the wake-ups of a poll by others: a burst at once, then one for each interval. A wake-up that comes too early is delayed. */

const BURST = 8

export interface WakeThrottle {
  wake(): void
  /** The event of a swap cost its sender a fee, so it cannot be used for load: the wake-up is not counted. */
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
