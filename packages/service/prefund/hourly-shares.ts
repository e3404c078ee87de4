/** Counts what was begun within an hour, for each name alone: what one has used up is not missing for another. The counts are in memory only. */

const HOUR_MS = 3_600_000

interface HourlyShares {
  /** Returns false, and counts nothing, if the name has used up its share. */
  take(name: string): boolean
}

export function createHourlyShares(share: number, nowMs: () => number = Date.now): HourlyShares {
  const taken = new Map<string, readonly number[]>()
  return {
    take(name) {
      const since = nowMs() - HOUR_MS
      const recent = (taken.get(name) ?? []).filter((at) => at > since)
      const isLeft = recent.length < share
      taken.set(name, isLeft ? [...recent, nowMs()] : recent)
      return isLeft
    },
  }
}
