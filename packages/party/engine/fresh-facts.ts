/**
 * Facts age while an action prepares its transaction and waits for its key or a node. Old ones are read again before a signature is recorded.
 *
 * How old they may be follows how long the nodes take: a slow node delays an action, and never stops it. What an age costs is time and nothing else.
 * - Timelocks: the time that one action may take is subtracted from every timelock before it is begun (`timelockGapSeconds`), and no age is more than
 *   half of it. The other half is for the transaction to be mined.
 * - Reorgs: a deposit can disappear after the reading as it can after the broadcast. Its confirmations protect from both.
 * - What this party signed or decided itself is no fact of a chain: its own database has it, and is asked with the lease held.
 */
import type { Chain } from '@tandem/protocol/chain.ts'
import { actionSeconds } from '@tandem/protocol/timelock.ts'
import { MAX_FACTS_AGE_MS, MIN_FACTS_AGE_MS } from './times.ts'

/** In the time that reading them took: one more reading, and two requests to prepare and sign on them. */
const READINGS = 4

/** When facts were read (all was so at `asOfMs` or later, by `performance.now()`), and for how long they may be signed on. */
export type FactsAge = { readonly asOfMs: number; readonly goodForMs: number }

export interface FreshFacts {
  areFresh(): boolean
  /** Rejects when the action is no longer wanted as it was. */
  refresh(): Promise<void>
}

/** `tookMs`: how long the slower of the chains took to be read. */
export function goodForMs(tookMs: number, chains: readonly Chain[]): number {
  const bounds = chains.map((chain) => Number(actionSeconds(chain)) * 500)
  return Math.min(Math.max(MIN_FACTS_AGE_MS, tookMs * READINGS), MAX_FACTS_AGE_MS, ...bounds)
}

/** The age of a batch, which needs the facts of all its actions. */
export function oldestOf(ages: readonly FactsAge[]): FactsAge {
  return ages.reduce((oldest, age) => (age.asOfMs + age.goodForMs < oldest.asOfMs + oldest.goodForMs ? age : oldest))
}

/**
 * `first`: of the facts that the action was prepared with. `recheck` rejects when they have changed so that the action must not be done, or in
 * another way; else it resolves to the age of the new ones.
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
