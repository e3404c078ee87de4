/** Caches the failed payouts of the last 24 hours, which every new order and every payment needs. */
import type { FailedPayout } from '@tandem/protocol/payout-limits.ts'
import type { Database } from '../store/database/database.ts'
import { readFailedPayouts } from '../store/orders/failed-payouts.ts'
import { FAILED_PAYOUTS_MS } from './times.ts'

/** Reads them at most once in `keepMs`. A failed reading is not cached. */
export function createFailedPayouts(db: Database, keepMs = FAILED_PAYOUTS_MS): () => Promise<readonly FailedPayout[]> {
  let last: { readonly rows: Promise<readonly FailedPayout[]>; readonly untilMs: number } | null = null
  return async () => {
    const nowMs = performance.now()
    last = last !== null && nowMs < last.untilMs ? last : { rows: readFailedPayouts(db), untilMs: nowMs + keepMs }
    try {
      return await last.rows
    } catch (error) {
      last = null
      throw error
    }
  }
}
