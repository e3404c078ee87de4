/** Inventory skew: a scarce asset costs more, and a scarce source earns a rebate. Pure functions on bigints. */
import { divideRoundingUp } from '@tandem/protocol/amount.ts'
import type { Level } from './price.ts'

export type Stock = {
  /** What may still be promised. */
  readonly available: bigint
  /** What the solver wants to hold. */
  readonly target: bigint
}

/** `percent` of the highest surcharge, until `used` percent of the target is gone. */
const STEPS = [
  { used: 50n, percent: 0n },
  { used: 75n, percent: 25n },
  { used: 90n, percent: 50n },
] as const

/** The destination inventory in levels: what is above half of the target costs nothing more, the last tenth the whole surcharge. */
export function skewLevels({ available, target }: Stock, highestPpm: bigint): readonly Level[] {
  const steps = STEPS.map(({ used, percent }) => ({
    // Rounded down: the level ends early, in favour of the solver, because the user chooses the amount.
    upTo: available - divideRoundingUp(target * (100n - used), 100n),
    ppm: (highestPpm * percent) / 100n,
  }))
  return [...steps.filter(({ upTo }) => upTo > 0n), { upTo: null, ppm: highestPpm }]
}

/** What the next unit of this asset would cost more as a destination: as a source it is worth so much more. */
export function scarcityPpm(stock: Stock, highestPpm: bigint): bigint {
  return skewLevels(stock, highestPpm)[0]?.ppm ?? highestPpm
}
