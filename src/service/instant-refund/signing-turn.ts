/** One signing at a time per order, and few deposits at a time. Each part is stored before the next is signed, so that a failure loses one part only. */
import type { SignedInstantRefund } from '../../protocol/order.ts'
import { inTurn } from '../../store/actions/leases.ts'
import type { Database } from '../../store/database/database.ts'

/** About 100 ms in a worker thread of each party. */
const DEPOSITS_AT_ONCE = 20

/** Null if another process signs for this order for longer than `waitMs`. */
export function inSigningTurn<T>(db: Database, orderId: string, waitMs: number, work: () => Promise<T>): Promise<T | null> {
  return inTurn(db, `sign instant refund ${orderId}`, waitMs, work)
}

export async function signInParts<T>(
  items: readonly T[],
  sign: (part: readonly T[]) => Promise<readonly SignedInstantRefund[]>,
  store: (signed: readonly SignedInstantRefund[]) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < items.length; at += DEPOSITS_AT_ONCE) await store(await sign(items.slice(at, at + DEPOSITS_AT_ONCE)))
}
