/** Several failures in a row open a circuit breaker for a while; then one trial at a time decides whether it closes. */

export type BreakerOptions = {
  readonly failuresToOpen: number
  /** The backoff doubles each time that the breaker opens again. */
  readonly minBackoffMs: number
  readonly maxBackoffMs: number
  /** A trial without an outcome ends after this time, and another one is due. */
  readonly trialMs: number
}

export type BreakerState = 'closed' | 'open' | 'trial due' | 'on trial'

export interface Breaker {
  state(): BreakerState
  /** The caller calls this at each request. If a trial is due, that request is the trial. */
  begin(): void
  succeed(): void
  fail(): void
  /** Returns the time until the breaker stops being open. */
  remainingMs(): number
}

export function createBreaker(options: BreakerOptions, nowMs: () => number): Breaker {
  let failures = 0
  /** Later successes are subtracted from the number of openings. */
  let openings = 0
  let openUntil: number | null = null
  let trialUntil = 0

  function state(): BreakerState {
    if (openUntil === null) return 'closed'
    if (nowMs() < openUntil) return 'open'
    return nowMs() < trialUntil ? 'on trial' : 'trial due'
  }

  return {
    state,
    begin() {
      if (state() === 'trial due') trialUntil = nowMs() + options.trialMs
    },
    succeed() {
      failures = 0
      openUntil = null
      openings = Math.max(0, openings - 1)
    },
    fail() {
      // Calls that began before the breaker opened do not count.
      if (state() === 'open') return
      failures += 1
      if (openUntil === null && failures < options.failuresToOpen) return
      openUntil = nowMs() + Math.min(options.minBackoffMs * 2 ** Math.min(openings, 30), options.maxBackoffMs)
      openings += 1
      trialUntil = 0
      failures = 0
    },
    remainingMs: () => (openUntil === null ? 0 : Math.max(0, openUntil - nowMs())),
  }
}
