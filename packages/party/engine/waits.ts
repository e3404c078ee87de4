/** Measures how long work waits in one stage of the engine, from what this process knows anyway. */
import { WAIT_MEMORY_MS } from './times.ts'
export interface Waits {
  /** Work waits from now on, unless some waits already. */
  begin(): void
  /** Ends a pass. `maxMs` is the longest wait of what the pass took, `leftMs` the wait of what it left; null if it took all. */
  end(maxMs: number, leftMs: number | null): void
  currentMs(): number
  /** The longest wait of the work that waits now, or that was taken within the last two seconds. */
  maxMs(): number
}

export function createWaits(nowMs: () => number = () => performance.now()): Waits {
  let sinceMs: number | null = null
  let last = { maxMs: 0, atMs: Number.NEGATIVE_INFINITY }

  const currentMs = () => (sinceMs === null ? 0 : nowMs() - sinceMs)

  return {
    begin() {
      sinceMs ??= nowMs()
    },
    end(maxMs, leftMs) {
      const atMs = nowMs()
      sinceMs = leftMs === null ? null : atMs - leftMs
      last = { maxMs, atMs }
    },
    currentMs,
    maxMs: () => Math.max(currentMs(), nowMs() - last.atMs < WAIT_MEMORY_MS ? last.maxMs : 0),
  }
}
