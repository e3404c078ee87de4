/** Whether the cap of a pair allows one more order, by what is on record. Asked when inventory is granted to it. */
import type { Database } from '@tandem/party/store/database/database.ts'
import { findOrderRisk, readPairLoad } from '@tandem/party/store/solver/order-risks.ts'
import { type Caps, whyOverCap } from './caps.ts'

export function createPairCap(options: {
  readonly db: Database
  readonly now: () => bigint
  readonly windowSeconds: bigint
  readonly caps: Caps
}): (orderId: string) => Promise<string | null> {
  const { db, now, windowSeconds, caps } = options
  return async (orderId) => {
    const risk = await findOrderRisk(db, orderId)
    if (risk === null) throw new Error(`order ${orderId} has no record of its pair`)
    const load = await readPairLoad(db, { now: now(), since: now() - windowSeconds }, risk.pair, orderId)
    const why = whyOverCap(caps.pair, load, risk.usdMicros)
    return why === null ? null : `too much of ${risk.pair}: ${why}`
  }
}
