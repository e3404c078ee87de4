// Decides when checkpoints are due: one every second by the chain's clock, which tests can move.

const CHECKPOINT_MS = 1_000

export interface CheckpointClock {
  /** The time is in unix milliseconds. */
  now(): number
  takeDue(): readonly number[]
  restart(): void
  pass(ms: number): void
}

/** After a long pause, at most the checkpoints of an hour are made. */
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
