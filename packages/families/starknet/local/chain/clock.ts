// Decides when blocks are due: one every second by the chain's clock, which tests can move.

export const BLOCK_MS = 1_000

export interface BlockClock {
  /** The time is in unix seconds. */
  now(): number
  /** The times are in unix seconds, oldest first. */
  takeDue(): readonly number[]
  restart(): void
  /** Blocks that were due before still are. */
  pass(seconds: number): void
}

/** After a long pause, at most the blocks of an hour are made. */
const MAX_DUE = 3_600

export function createBlockClock(wallMs: () => number = Date.now): BlockClock {
  let aheadMs = 0
  const nowMs = () => wallMs() + aheadMs
  let dueMs = nowMs() + BLOCK_MS

  return {
    now: () => Math.floor(nowMs() / 1_000),
    takeDue() {
      const count = Math.max(0, Math.floor((nowMs() - dueMs) / BLOCK_MS) + 1)
      const taken = Math.min(count, MAX_DUE)
      const first = dueMs + (count - taken) * BLOCK_MS
      dueMs += count * BLOCK_MS
      return Array.from({ length: taken }, (_, index) => Math.floor((first + index * BLOCK_MS) / 1_000))
    },
    restart() {
      dueMs = nowMs() + BLOCK_MS
    },
    pass(seconds) {
      aheadMs += seconds * 1_000
      dueMs += seconds * 1_000
    },
  }
}
