// Close times, by the rules of the reference (rippled, LedgerTiming.h).

/** Seconds from the Unix epoch to that of the ledger: 2000-01-01. */
const RIPPLE_EPOCH = 946_684_800
/** Close times are rounded to so many seconds, which validators agree on; it is 10 while they agree easily. */
export const CLOSE_RESOLUTION = 10

export const rippleTime = (unixMs: number) => Math.floor(unixMs / 1_000) - RIPPLE_EPOCH

/** Of a ledger that closes now: rounded to the nearest multiple, but later than its parent. All in seconds of the ledger's epoch. */
export function closeTimeOf(now: number, parentCloseTime: number): number {
  const rounded = Math.floor((now + CLOSE_RESOLUTION / 2) / CLOSE_RESOLUTION) * CLOSE_RESOLUTION
  return Math.max(rounded, parentCloseTime + 1)
}

export const isoTime = (closeTime: number) => new Date((closeTime + RIPPLE_EPOCH) * 1_000).toISOString().replace('.000Z', 'Z')
