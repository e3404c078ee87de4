/** Keeps the prices of the last hour, and measures how the rates between them moved. All numbers are integers. */
import type { UsdPrice } from '@tandem/protocol/amount.ts'

export type Snapshot = {
  /** Unix milliseconds. */
  readonly at: number
  readonly prices: ReadonlyMap<string, UsdPrice>
}

export interface Timeline {
  /** If the newest sample is recent, only markets that it lacks are added to it. */
  note(at: number, prices: ReadonlyMap<string, UsdPrice>): void
  moveBips(now: Snapshot, a: string, b: string, windowMs: number): bigint
  /** Returns one standard deviation of the rate a : b within this time, rounded up. */
  volatilityBips(a: string, b: string, seconds: number): number
}

export const SAMPLE_MS = 10_000
const KEEP_MS = 3600_000
/** With fewer samples the deviation says little. */
const MIN_SAMPLES = 12
/** Used while there are too few samples: one percent an hour, more than is usual for Bitcoin. */
const ASSUMED_PPB_AN_HOUR = 10_000_000n

const BIPS = 10_000n
const PPB = 1_000_000_000n
const PPB_PER_BIP = PPB / BIPS

export function createTimeline(past: readonly Snapshot[] = []): Timeline {
  const samples: Snapshot[] = [...past]
  /** The sum of squared moves in ppb of each pair, and the time that they took. Cleared with each sample. */
  const sums = new Map<string, { readonly squares: bigint; readonly ms: number; readonly count: number }>()

  function sumOf(a: string, b: string): { readonly squares: bigint; readonly ms: number; readonly count: number } {
    const key = a < b ? `${a} ${b}` : `${b} ${a}`
    const known = sums.get(key)
    if (known !== undefined) return known
    let [squares, ms, count] = [0n, 0, 0]
    let before: Snapshot | null = null
    for (const sample of samples) {
      if (!sample.prices.has(a) || !sample.prices.has(b)) continue
      if (before !== null) {
        const move = moveOf(before, sample, a, b, PPB)
        squares += move * move
        ms += sample.at - before.at
        count++
      }
      before = sample
    }
    const sum = { squares, ms, count }
    sums.set(key, sum)
    return sum
  }

  return {
    note(at, prices) {
      // If the clock was set back, samples from the future would keep out new ones, and never expire.
      while ((samples.at(-1)?.at ?? at) > at) samples.pop()
      const newest = samples.at(-1)
      if (newest !== undefined && at - newest.at < SAMPLE_MS)
        samples[samples.length - 1] = { at: newest.at, prices: new Map([...prices, ...newest.prices]) }
      else samples.push({ at, prices })
      while ((samples[0]?.at ?? at) < at - KEEP_MS) samples.shift()
      sums.clear()
    },
    moveBips(now, a, b, windowMs) {
      const recent = samples.filter(({ at }) => at >= now.at - windowMs && at <= now.at)
      return recent.reduce((largest, sample) => {
        const move = moveOf(sample, now, a, b, BIPS)
        return move > largest ? move : largest
      }, 0n)
    },
    volatilityBips(a, b, seconds) {
      if (a === b) return 0
      const { squares, ms, count } = sumOf(a, b)
      const span = BigInt(Math.max(0, Math.ceil(seconds)))
      const variance =
        count < MIN_SAMPLES || ms <= 0 ? (ASSUMED_PPB_AN_HOUR * ASSUMED_PPB_AN_HOUR * span) / 3600n : (squares * span * 1000n) / BigInt(ms)
      return Number((rootRoundedUp(variance) + PPB_PER_BIP - 1n) / PPB_PER_BIP)
    },
  }
}

/** Returns the larger of two rates relative to the smaller, in the given parts; the same for a : b and b : a; 0 if a price is missing. */
function moveOf(before: Snapshot, after: Snapshot, a: string, b: string, parts: bigint): bigint {
  const [a0, b0, a1, b1] = [before.prices.get(a), before.prices.get(b), after.prices.get(a), after.prices.get(b)]
  if (a0 === undefined || b0 === undefined || a1 === undefined || b1 === undefined) return 0n
  const [x, y] = [a1 * b0, a0 * b1]
  return x > y ? ((x - y) * parts) / y : ((y - x) * parts) / x
}

export function rootRoundedUp(square: bigint): bigint {
  if (square <= 1n) return square < 0n ? 0n : square
  let root = 1n << BigInt((square.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (root + square / root) >> 1n
    if (next >= root) return root * root === square ? root : root + 1n
    root = next
  }
}
