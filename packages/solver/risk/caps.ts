/** Limits how much may be open, and how much may be taken within a window. */
import type { Database } from '@tandem/party/store/database/database.ts'
import { findOrderRisk, type Load, readPairLoad } from '@tandem/party/store/solver/order-risks.ts'

/** A limit that is null does not apply. */
export type Cap = {
  readonly openOrders: number | null
  /** In millionths of a dollar. */
  readonly openUsdMicros: bigint | null
  readonly windowUsdMicros: bigint | null
}

export type Caps = { readonly pair: Cap; readonly app: Cap; readonly owner: Cap }

export const noCap: Cap = { openOrders: null, openUsdMicros: null, windowUsdMicros: null }
export const noLoad: Load = { openOrders: 0, openUsdMicros: 0n, windowUsdMicros: 0n }

export function isCapped(cap: Cap): boolean {
  return Object.values(cap).some((limit) => limit !== null)
}

export function whyOverCap(cap: Cap, load: Load, usdMicros: bigint): string | null {
  if (cap.openOrders !== null && load.openOrders >= cap.openOrders) return `${load.openOrders} orders are open, of ${cap.openOrders}`
  const left = leftOf(cap, load)
  if (left === null || usdMicros <= left) return null
  return `it is worth ${usdMicros} millionths of a dollar, and ${left} are left of the limit`
}

/** Returns what the cap leaves, in millionths of a dollar; null if it has no limit. */
export function leftOf(cap: Cap, load: Load): bigint | null {
  if (cap.openOrders !== null && load.openOrders >= cap.openOrders) return 0n
  const lefts = [
    ...(cap.openUsdMicros === null ? [] : [cap.openUsdMicros - load.openUsdMicros]),
    ...(cap.windowUsdMicros === null ? [] : [cap.windowUsdMicros - load.windowUsdMicros]),
  ].map((left) => (left > 0n ? left : 0n))
  return lefts.reduce<bigint | null>((lowest, left) => (lowest === null || left < lowest ? left : lowest), null)
}

export function withOrder(load: Load, usdMicros: bigint): Load {
  return {
    openOrders: load.openOrders + 1,
    openUsdMicros: load.openUsdMicros + usdMicros,
    windowUsdMicros: load.windowUsdMicros + usdMicros,
  }
}

/** Returns the reason why the cap of its pair refuses an order, by the recorded orders. It is called when inventory is granted. */
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
