/** A circuit breaker: several failures in a row open it for a while. Then one trial at a time decides whether it closes. */

export type BreakerOptions = {
  readonly failuresToOpen: number
  /** Doubles with every time that it opens again. */
  readonly firstPauseMs: number
  readonly longestPauseMs: number
  /** A trial without an outcome is over after so long: another one is due. */
  readonly trialMs: number
}

export type BreakerState = 'closed' | 'open' | 'trial due' | 'on trial'

export interface Breaker {
  state(): BreakerState
  /** Something is asked now: if a trial is due, this is it. */
  begin(): void
  succeed(): void
  fail(): void
  /** How long it is still open. */
  remainingMs(): number
}

export function createBreaker(options: BreakerOptions, nowMs: () => number): Breaker {
  let failures = 0
  /** How often it opened, less how often something succeeded since. */
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
      // Calls that began before it opened say nothing new.
      if (state() === 'open') return
      failures += 1
      if (openUntil === null && failures < options.failuresToOpen) return
      openUntil = nowMs() + Math.min(options.firstPauseMs * 2 ** Math.min(openings, 30), options.longestPauseMs)
      openings += 1
      trialUntil = 0
      failures = 0
    },
    remainingMs: () => (openUntil === null ? 0 : Math.max(0, openUntil - nowMs())),
  }
}
