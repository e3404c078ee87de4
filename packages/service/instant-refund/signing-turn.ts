/** One signing at a time per order, and few deposits at a time. Each part is stored before the next is signed, so that a failure loses one part only. */

import { inTurn } from '@tandem/party/store/actions/leases.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import type { SignedInstantRefund } from '@tandem/protocol/order.ts'
import { MAX_REFUNDS_AT_ONCE } from '@tandem/protocol/wire/solver.ts'

/** Signings of this process, by order. */
const signings = new WeakMap<Database, Map<string, Promise<unknown>>>()

/**
 * Runs `sign` while nobody else signs for this order. If this process signs for it already, waits for that signing and returns 'joined': read the
 * order again. 'busy' if another process signs for longer than `waitMs`.
 */
export async function signInTurn<T>(db: Database, orderId: string, waitMs: number, sign: () => Promise<T>): Promise<T | 'joined' | 'busy'> {
  const running = signings.get(db) ?? new Map<string, Promise<unknown>>()
  signings.set(db, running)
  const known = running.get(orderId)
  if (known !== undefined) {
    await known
    return 'joined'
  }
  const signing = inTurn(db, `sign instant refund ${orderId}`, waitMs, sign)
  // The caller that started it gets its error; those that join try again.
  const ended = signing.catch(() => undefined).finally(() => running.delete(orderId))
  running.set(orderId, ended)
  return (await signing) ?? 'busy'
}

export async function signInParts<T>(
  items: readonly T[],
  sign: (part: readonly T[]) => Promise<readonly SignedInstantRefund[]>,
  store: (signed: readonly SignedInstantRefund[]) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < items.length; at += MAX_REFUNDS_AT_ONCE) await store(await sign(items.slice(at, at + MAX_REFUNDS_AT_ONCE)))
}
