/** How long work waits in one stage of the engine, by what this process knows anyway. */
import { WAIT_MEMORY_MS } from './times.ts'
export interface Waits {
  /** Work waits from now on, unless some waits already. */
  begin(): void
  /** A pass is over. `maxMs`: the longest wait of what it took. `leftMs`: how long what it left has waited; null if it took all. */
  end(maxMs: number, leftMs: number | null): void
  /** The wait of the work that waits now; 0 if none does. */
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
