/**
 * Facts age while an action prepares its transaction and waits. Old facts are read again before a signature is recorded.
 *
 * Slow nodes make facts last longer: a slow node delays an action, and never stops it. An age costs nothing but time.
 * - Timelocks: the time that one action may take is subtracted from every timelock before it is begun (`timelockGapSeconds`), and no age is
 *   more than half of it. The other half is for the transaction to be mined.
 * - Reorgs: a deposit can disappear after the reading as it can after the broadcast. Its confirmations protect from both.
 * - What this party signed or decided itself is no fact of a chain: its own database has it, and is asked with the lease held.
 */
import type { Chain } from '@tandem/protocol/chain.ts'
import { actionSeconds } from '@tandem/protocol/timelock.ts'
import { MAX_FACTS_AGE_MS, MIN_FACTS_AGE_MS } from './times.ts'

/** Facts stay good for this many times the duration of their reading: one more reading, and two requests to prepare and sign. */
const READINGS = 4

/** Facts were true at `asOfMs` or later, by `performance.now()`, and may be signed on for `goodForMs`. */
export type FactsAge = { readonly asOfMs: number; readonly goodForMs: number }

export interface FreshFacts {
  areFresh(): boolean
  /** Rejects when the action is not wanted any more, or wanted in another way. */
  refresh(): Promise<void>
}

export function goodForMs(tookMs: number, chains: readonly Chain[]): number {
  const bounds = chains.map((chain) => Number(actionSeconds(chain)) * 500)
  return Math.min(Math.max(MIN_FACTS_AGE_MS, tookMs * READINGS), MAX_FACTS_AGE_MS, ...bounds)
}

/** A batch needs the facts of all its actions, so it has the age of the oldest. */
export function oldestOf(ages: readonly FactsAge[]): FactsAge {
  return ages.reduce((oldest, age) => (age.asOfMs + age.goodForMs < oldest.asOfMs + oldest.goodForMs ? age : oldest))
}

/**
 * `first` is the age of the facts that the action was prepared with. `recheck` resolves to the age of new facts, and rejects when the
 * action must not be done, or must be done in another way.
 */
export function createFreshFacts(first: FactsAge, recheck: () => Promise<FactsAge>): FreshFacts {
  let age = first
  return {
    areFresh: () => performance.now() - age.asOfMs < age.goodForMs,
    async refresh() {
      age = await recheck()
    },
  }
}
