/** How reliable a solver is, in millionths. Integers only. */

/** Its orders that were funded and are settled, or are about to be. */
export type SettledOrders = { readonly completed: number; readonly refunded: number }

export const NOTHING_SETTLED: SettledOrders = { completed: 0, refunded: 0 }

const WHOLE = 1_000_000
/** A new solver counts as one that completed nine orders of ten, so that one order does not decide. */
const PRIOR: SettledOrders = { completed: 9, refunded: 1 }
/** The weight of one answer: the last 32 answers make two thirds of the conduct. */
const MEMORY = 32

/** The part of its orders that it completed, times its recent conduct. */
export function reliability({ completed, refunded }: SettledOrders, conduct: number): number {
  const kept = completed + PRIOR.completed
  const settled = Math.floor((kept * WHOLE) / (kept + refunded + PRIOR.refunded))
  return Math.floor((settled * conduct) / WHOLE)
}

export const UNBLEMISHED = WHOLE

/** The conduct after one more answer. Rounded down: a failure always costs something. */
export function conductAfter(conduct: number, isGood: boolean): number {
  return Math.floor((conduct * (MEMORY - 1) + (isGood ? WHOLE : 0)) / MEMORY)
}
