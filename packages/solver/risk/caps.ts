/** Limits of what may be open or taken in a window. Pure functions. */
import type { Load } from '@tandem/party/store/solver/order-risks.ts'

/** Null: no limit. */
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

/** Why an order of this worth is too much; null if it is not. */
export function whyOverCap(cap: Cap, load: Load, usdMicros: bigint): string | null {
  if (cap.openOrders !== null && load.openOrders >= cap.openOrders) return `${load.openOrders} orders are open, of ${cap.openOrders}`
  const left = leftOf(cap, load)
  if (left === null || usdMicros <= left) return null
  return `it is worth ${usdMicros} millionths of a dollar, and ${left} are left of the limit`
}

/** Millionths of a dollar; null: no limit. */
export function leftOf(cap: Cap, load: Load): bigint | null {
  if (cap.openOrders !== null && load.openOrders >= cap.openOrders) return 0n
  const lefts = [
    ...(cap.openUsdMicros === null ? [] : [cap.openUsdMicros - load.openUsdMicros]),
    ...(cap.windowUsdMicros === null ? [] : [cap.windowUsdMicros - load.windowUsdMicros]),
  ].map((left) => (left > 0n ? left : 0n))
  return lefts.reduce<bigint | null>((least, left) => (least === null || left < least ? left : least), null)
}

export function withOrder(load: Load, usdMicros: bigint): Load {
  return {
    openOrders: load.openOrders + 1,
    openUsdMicros: load.openUsdMicros + usdMicros,
    windowUsdMicros: load.windowUsdMicros + usdMicros,
  }
}
