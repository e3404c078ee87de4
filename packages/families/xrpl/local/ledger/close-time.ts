// Computes close times by the rules of the reference (rippled, LedgerTiming.h).

/** The ledger's epoch begins on 2000-01-01, this many seconds after the Unix epoch. */
const RIPPLE_EPOCH = 946_684_800
/** Validators agree on this rounding of close times, in seconds. It is 10 while they agree easily. */
export const CLOSE_RESOLUTION = 10

export const rippleTime = (unixMs: number) => Math.floor(unixMs / 1_000) - RIPPLE_EPOCH

/** A close time is rounded to the nearest multiple, but is later than its parent's. All times are in seconds of the ledger's epoch. */
export function closeTimeOf(now: number, parentCloseTime: number): number {
  const rounded = Math.floor((now + CLOSE_RESOLUTION / 2) / CLOSE_RESOLUTION) * CLOSE_RESOLUTION
  return Math.max(rounded, parentCloseTime + 1)
}

export const isoTime = (closeTime: number) => new Date((closeTime + RIPPLE_EPOCH) * 1_000).toISOString().replace('.000Z', 'Z')
