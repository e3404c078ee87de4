/** Derives one price from the readings of several sources. */
import { formatUsdPrice, type UsdPrice } from '@tandem/protocol/amount.ts'

export type Reading = {
  readonly source: string
  readonly price: UsdPrice
  /** Unix milliseconds: the time that the source gives, else the time of the request. */
  readonly at: number
  readonly maxAgeMs: number
}

export type PriceRules = {
  /** This many sources must have a fresh price and agree. */
  readonly minSources: number
  /** A price that is this far from the median still agrees with it. */
  readonly maxDeviationBips: number
}

/** Both are the price if enough sources are fresh, else the lowest and the highest of their prices. */
export type PriceRange = { readonly low: UsdPrice; readonly high: UsdPrice }

export type Verdict =
  | { readonly price: UsdPrice; readonly range: PriceRange; readonly problem: null }
  | { readonly price: null; readonly range: null; readonly problem: string }

/** With fewer sources a single liar moves the median, so the party then uses the price that is worse for the user. */
const MIN_MAJORITY_SOURCES = 3

/** The clocks of exchanges may be ahead of ours by this much. */
const MAX_AHEAD_MS = 30_000
const BIPS = 10_000n

/**
 * The price is the median of the fresh readings. While fewer than half of them are wrong, it lies between two that are right. There is no
 * price if too few readings are fresh, or if too few of them, or not more than half, agree with the median.
 */
export function judgeReadings(readings: readonly Reading[], rules: PriceRules, now: number): Verdict {
  const fresh = readings.filter((reading) => staleness(reading, now) === null)
  const { minSources, maxDeviationBips } = rules
  if (fresh.length < minSources || fresh.length === 0)
    return none(`${fresh.length} of ${readings.length} sources have a fresh price, and ${minSources} are needed`)
  const price = median(fresh.map((reading) => reading.price))
  const agreeing = fresh.filter((reading) => !deviates(reading.price, price, maxDeviationBips)).length
  if (agreeing < minSources || agreeing * 2 <= fresh.length) {
    const said = fresh.map((reading) => `${reading.source} ${formatUsdPrice(reading.price)}`).join(', ')
    return none(`the sources are more than ${maxDeviationBips} bips apart: ${said}`)
  }
  return { price, range: rangeOf(fresh, price), problem: null }
}

function rangeOf(fresh: readonly Reading[], price: UsdPrice): PriceRange {
  if (fresh.length >= MIN_MAJORITY_SOURCES) return { low: price, high: price }
  const said = fresh.map((reading) => reading.price)
  return { low: said.reduce((a, b) => (a < b ? a : b)), high: said.reduce((a, b) => (a > b ? a : b)) }
}

export function staleness({ at, maxAgeMs }: Pick<Reading, 'at' | 'maxAgeMs'>, now: number): string | null {
  if (now - at > maxAgeMs) return `its price is ${seconds(now - at)} s old, and at most ${seconds(maxAgeMs)} s are accepted`
  if (at - now > MAX_AHEAD_MS) return `its clock is ${seconds(at - now)} s ahead of ours`
  return null
}

/** For an even count it is the mean of the two middle prices, rounded down. */
export function median(prices: readonly UsdPrice[]): UsdPrice {
  const sorted = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  if (low === undefined || high === undefined) throw new Error('the median of an empty list')
  return (low + high) / 2n
}

function deviates(price: UsdPrice, from: UsdPrice, maxBips: number): boolean {
  const distance = price > from ? price - from : from - price
  return distance * BIPS > from * BigInt(maxBips)
}

const none = (problem: string): Verdict => ({ price: null, range: null, problem })
const seconds = (ms: number) => Math.floor(ms / 1000)
