/** Spaces requests to a provider: at most so many a second, with those of an unused second in one go. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Requests may come at once for the time in which none came, up to this. */
const BURST_MS = 1_000
/** A request that would wait longer fails at once: its caller asks again, and the queue stays short. */
const LONGEST_WAIT_MS = 30_000

export interface Pace {
  /** Resolves when it is the turn of a request. False: too many wait already. An urgent one does not wait, but counts. */
  turn(isUrgent?: boolean): Promise<boolean>
}

export type PaceClock = { nowMs(): number; wait(ms: number): Promise<unknown> }

/** `ending`: ends all waits. */
function realClock(ending: AbortSignal): PaceClock {
  return { nowMs: () => performance.now(), wait: (ms) => sleep(ms, undefined, { signal: ending }).catch(() => undefined) }
}

export function createPace(perSecond: number, ending: AbortSignal, { nowMs, wait }: PaceClock = realClock(ending)): Pace {
  const intervalMs = 1_000 / perSecond
  let nextAtMs = Number.NEGATIVE_INFINITY
  return {
    async turn(isUrgent = false) {
      const now = nowMs()
      const atMs = Math.max(nextAtMs, now - BURST_MS + intervalMs)
      if (!isUrgent && atMs - now > LONGEST_WAIT_MS) return false
      nextAtMs = atMs + intervalMs
      if (!isUrgent && atMs > now) await wait(atMs - now)
      return true
    },
  }
}
