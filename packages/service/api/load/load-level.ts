/** How busy this process is, in three levels. */

/** 0: everything is served. 1: no lists, streams and pages, and nothing to who causes the load. 2: only what concerns one order that exists. */
export type LoadLevel = 0 | 1 | 2

export type Load = {
  /** How late the event loop runs what is due, averaged over about a second. */
  readonly delayMs: number
  /** Requests in progress of those that may be refused. */
  readonly inFlight: number
}

/** A redeem must not wait for a second behind quotes. The counts bound what waits for the database before it. */
const LIMITS = {
  1: { delayMs: 500, inFlight: 500 },
  2: { delayMs: 1500, inFlight: 2000 },
} as const

/** A level is left at this part of its limit: else it would come and go with every request. */
const LEAVE = 0.5

/** Below every limit: level 0 stays. */
export function isCalm({ delayMs, inFlight }: Load): boolean {
  return delayMs < LIMITS[1].delayMs && inFlight < LIMITS[1].inFlight
}

export function nextLevel(current: LoadLevel, { delayMs, inFlight }: Load): LoadLevel {
  const isReached = (level: 1 | 2) => {
    const share = current >= level ? LEAVE : 1
    return delayMs >= LIMITS[level].delayMs * share || inFlight >= LIMITS[level].inFlight * share
  }
  if (isReached(2)) return 2
  return isReached(1) ? 1 : 0
}
