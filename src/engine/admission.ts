/**
 * Whether new quotes and orders are taken. Orders that exist come first: while their work waits too long for this process, new ones are
 * refused before they cost anything. The answers of nodes are no part of the wait, so a slow chain refuses nothing.
 */
export interface Admission {
  /** Costs a comparison: asked at every request. */
  admits(): boolean
}

/** An order in progress must be paid within two seconds. */
const REFUSE_ABOVE_MS = 2000
/** Far below the other limit: otherwise every order would decide for the next one. */
const ADMIT_BELOW_MS = 500

export function isOverloaded(wasOverloaded: boolean, waitMs: number): boolean {
  return waitMs > (wasOverloaded ? ADMIT_BELOW_MS : REFUSE_ABOVE_MS)
}

export function createAdmission(waitMs: () => number, onChange: (overloaded: boolean, waitMs: number) => void): Admission {
  let overloaded = false
  return {
    admits() {
      const waited = waitMs()
      const before = overloaded
      overloaded = isOverloaded(before, waited)
      if (overloaded !== before) onChange(overloaded, waited)
      return !overloaded
    },
  }
}
