/** One price from the readings of several sources. Pure. */
import { formatUsdPrice, type UsdPrice } from '@tandem/protocol/amount.ts'

export type Reading = {
  readonly source: string
  readonly price: UsdPrice
  /** Unix milliseconds: when the source says that it was so, else when it was asked. */
  readonly at: number
  readonly maxAgeMs: number
}

export type PriceRules = {
  /** So many sources must have a fresh price and agree. */
  readonly leastSources: number
  /** How far from the median a price may be and still agree with it. */
  readonly maxDeviationBips: number
}

/** The price itself where a majority stands for it; else the lowest and the highest that a source said. */
export type PriceRange = { readonly low: UsdPrice; readonly high: UsdPrice }

export type Verdict =
  | { readonly price: UsdPrice; readonly range: PriceRange; readonly problem: null }
  | { readonly price: null; readonly range: null; readonly problem: string }

/** Of fewer, one that lies moves the median: what each of them says then counts where it is worse for who chooses. */
const MAJORITY_OF = 3

/** Clocks of exchanges may run ahead of ours by so much. */
const MAX_AHEAD_MS = 30_000
const BIPS = 10_000n

/**
 * The median of the fresh readings. While fewer than half of them are wrong, it lies between two that are right, whatever the others say.
 * There is no price if too few are fresh, or if too few of them, or not more than half, agree with the median.
 */
export function judgeReadings(readings: readonly Reading[], rules: PriceRules, now: number): Verdict {
  const fresh = readings.filter((reading) => staleness(reading, now) === null)
  const { leastSources, maxDeviationBips } = rules
  if (fresh.length < leastSources || fresh.length === 0)
    return none(`${fresh.length} of ${readings.length} sources have a fresh price, and ${leastSources} are needed`)
  const price = median(fresh.map((reading) => reading.price))
  const agreeing = fresh.filter((reading) => !deviates(reading.price, price, maxDeviationBips)).length
  if (agreeing < leastSources || agreeing * 2 <= fresh.length) {
    const said = fresh.map((reading) => `${reading.source} ${formatUsdPrice(reading.price)}`).join(', ')
    return none(`the sources are more than ${maxDeviationBips} bips apart: ${said}`)
  }
  return { price, range: rangeOf(fresh, price), problem: null }
}

function rangeOf(fresh: readonly Reading[], price: UsdPrice): PriceRange {
  if (fresh.length >= MAJORITY_OF) return { low: price, high: price }
  const said = fresh.map((reading) => reading.price)
  return { low: said.reduce((a, b) => (a < b ? a : b)), high: said.reduce((a, b) => (a > b ? a : b)) }
}

/** Why a reading is too old, or from the future; null if it counts. */
export function staleness({ at, maxAgeMs }: Pick<Reading, 'at' | 'maxAgeMs'>, now: number): string | null {
  if (now - at > maxAgeMs) return `its price is ${seconds(now - at)} s old, and at most ${seconds(maxAgeMs)} s are accepted`
  if (at - now > MAX_AHEAD_MS) return `its clock is ${seconds(at - now)} s ahead of ours`
  return null
}

/** Of an even number: the mean of the two in the middle, rounded down. */
export function median(prices: readonly UsdPrice[]): UsdPrice {
  const sorted = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  if (low === undefined || high === undefined) throw new Error('the median of nothing')
  return (low + high) / 2n
}

function deviates(price: UsdPrice, from: UsdPrice, maxBips: number): boolean {
  const distance = price > from ? price - from : from - price
  return distance * BIPS > from * BigInt(maxBips)
}

const none = (problem: string): Verdict => ({ price: null, range: null, problem })
const seconds = (ms: number) => Math.floor(ms / 1000)
