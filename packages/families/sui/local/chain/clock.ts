// When checkpoints are due: one every second by the chain's clock, which tests can move.

const CHECKPOINT_MS = 1_000

export interface CheckpointClock {
  /** Unix milliseconds. */
  now(): number
  /** The times of the checkpoints that became due since the last call, oldest first. */
  takeDue(): readonly number[]
  /** The next checkpoint is due a second from now. */
  restart(): void
  /** Moves the clock. What was due before still is. */
  pass(ms: number): void
}

/** After a long pause only so many checkpoints are made: an hour. */
const MAX_DUE = 3_600

export function createCheckpointClock(wallMs: () => number = Date.now): CheckpointClock {
  let aheadMs = 0
  const now = () => wallMs() + aheadMs
  let dueMs = now() + CHECKPOINT_MS

  return {
    now,
    takeDue() {
      const count = Math.max(0, Math.floor((now() - dueMs) / CHECKPOINT_MS) + 1)
      const taken = Math.min(count, MAX_DUE)
      const first = dueMs + (count - taken) * CHECKPOINT_MS
      dueMs += count * CHECKPOINT_MS
      return Array.from({ length: taken }, (_, index) => first + index * CHECKPOINT_MS)
    },
    restart() {
      dueMs = now() + CHECKPOINT_MS
    },
    pass(ms) {
      aheadMs += ms
      dueMs += ms
    },
  }
}
