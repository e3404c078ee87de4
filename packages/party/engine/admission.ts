import type { Logger } from 'pino'
import { ADMIT_ALL_MS, ADMIT_NONE_MS } from './times.ts'

/**
 * Whether new quotes and orders are taken. Orders that exist come first: the longer their work waits for this process, the fewer new ones it takes. The
 * answers of nodes are no part of the wait, so a slow chain refuses nothing.
 */
export interface Admission {
  /** Costs a comparison: asked at every request. Quotes are refused only while no order is taken. */
  admits(what: 'quote' | 'order'): boolean
}

/** The fraction of the new orders that is taken, from 0 to 1. In between it falls evenly: all or nothing would let them in in bursts. */
export function admittedShare(waitMs: number): number {
  return Math.min(1, Math.max(0, (ADMIT_NONE_MS - waitMs) / (ADMIT_NONE_MS - ADMIT_ALL_MS)))
}

/** `onChange`: less than half is taken, or all again. */
export function createAdmission(waitMs: () => number, onChange: (overloaded: boolean, waitMs: number) => void): Admission {
  let overloaded = false
  /** Grows by the share with each order; one whole admits one. */
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
