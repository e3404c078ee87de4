/** A run's figures say how fast the swaps were paid, and where the slowest ones spent their time. */
import { median, percentile } from '../bench.ts'
import type { PaidSwap, Swap } from './users.ts'

export type SwapFigures = {
  readonly paidPerSecond: number
  readonly unpaid: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly slowest: Slowest
}

/** The slowest hundredth of the paid swaps, at least one, decides the p99. */
export type Slowest = {
  /** The times are in seconds since the first swap of the run. */
  readonly begunAtSeconds: readonly number[]
  /** The values are medians of the milliseconds in each stage. */
  readonly stagesMs: Readonly<Record<Stage, number>>
}

/** The stages are quote and order, funding, until the solver locked the payout, and until it was redeemed. */
export const stages = ['order', 'fund', 'lock', 'redeem'] as const
export type Stage = (typeof stages)[number]

/** A swap that is paid later than this after the last order does not count as paid in time. */
export const GRACE_MS = 2_000

/** Orders were made for this many `seconds`. */
export function figuresOf(swaps: readonly Swap[], seconds: number): SwapFigures {
  const paid = swaps.filter((swap): swap is PaidSwap => swap.paidAt !== null)
  const times = paid.map(waitOf)
  const start = Math.min(...swaps.map(({ confirmedAt }) => confirmedAt))
  // Swaps that are paid in the time after the last order would hide that the rate is not sustained.
  const inTime = paid.filter(({ paidAt }) => paidAt - start <= seconds * 1000 + GRACE_MS).length
  return {
    paidPerSecond: inTime / seconds,
    unpaid: swaps.length - paid.length,
    p50Ms: percentile(times, 50),
    p99Ms: percentile(times, 99),
    slowest: slowestOf(paid, Math.min(...swaps.map(({ begunAt }) => begunAt))),
  }
}

function slowestOf(paid: readonly PaidSwap[], start: number): Slowest {
  const slowest = paid.toSorted((a, b) => waitOf(b) - waitOf(a)).slice(0, Math.max(1, Math.ceil(paid.length / 100)))
  const medianOf = (read: (swap: PaidSwap) => number) => median(slowest.map(read))
  return {
    begunAtSeconds: slowest.map(({ begunAt }) => (begunAt - start) / 1000).sort((a, b) => a - b),
    stagesMs: {
      order: medianOf(({ begunAt, orderedAt }) => orderedAt - begunAt),
      fund: medianOf(({ orderedAt, confirmedAt }) => confirmedAt - orderedAt),
      lock: medianOf(({ confirmedAt, lockedAt, paidAt }) => (lockedAt ?? paidAt) - confirmedAt),
      redeem: medianOf(({ lockedAt, paidAt }) => paidAt - (lockedAt ?? paidAt)),
    },
  }
}

/** The wait is from the confirmed source to the redeemed destination. */
function waitOf({ confirmedAt, paidAt }: PaidSwap): number {
  return paidAt - confirmedAt
}
