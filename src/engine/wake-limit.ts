/** Limits how often others may wake a poll: a burst at once, then one for each interval. What is dropped waits for the next poll. */

const BURST = 8

/** Returns whether this wake-up is allowed. */
export function createWakeLimit(intervalMs: number, nowMs: () => number = () => performance.now()): () => boolean {
  let left = BURST
  let countedAtMs = nowMs()
  return () => {
    const now = nowMs()
    left = Math.min(BURST, left + (now - countedAtMs) / intervalMs)
    countedAtMs = now
    if (left < 1) return false
    left -= 1
    return true
  }
}
