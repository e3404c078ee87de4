import type { Logger } from 'pino'
import { ADMIT_ALL_MS, ADMIT_NONE_MS } from './times.ts'

/**
 * Decides whether new quotes and orders are taken. Existing orders come first: the longer their work waits for this process, the fewer new
 * ones it takes. The wait does not include the answers of nodes, so a slow chain refuses nothing.
 */
export interface Admission {
  /** Cheap enough to call for every request. Quotes are refused only while no order is taken. */
  admits(what: 'quote' | 'order'): boolean
}

/** The fraction of new orders that is taken, 0 to 1. It falls evenly: a single threshold would admit orders in bursts. */
export function admittedShare(waitMs: number): number {
  return Math.min(1, Math.max(0, (ADMIT_NONE_MS - waitMs) / (ADMIT_NONE_MS - ADMIT_ALL_MS)))
}

/** `onChange` reports that less than half is taken, or that all are taken again. */
export function createAdmission(waitMs: () => number, onChange: (overloaded: boolean, waitMs: number) => void): Admission {
  let overloaded = false
  /** Each order adds the current share. A credit of 1 admits one order. */
  let credit = 0

  return {
    admits(what) {
      const waited = waitMs()
      const share = admittedShare(waited)
      if (overloaded ? share === 1 : share < 0.5) {
        overloaded = !overloaded
        onChange(overloaded, waited)
      }
      if (what === 'quote') return share > 0
      credit += share
      if (credit < 1) return false
      credit -= 1
      return true
    },
  }
}

export function logOverload(log: Pick<Logger, 'info' | 'warn'>): (overloaded: boolean, waitMs: number) => void {
  return (overloaded, waitMs) => {
    if (overloaded) log.warn({ waitMs: Math.round(waitMs) }, 'overloaded: refusing new orders')
    else log.info({ waitMs: Math.round(waitMs) }, 'no longer overloaded: accepting new orders')
  }
}
