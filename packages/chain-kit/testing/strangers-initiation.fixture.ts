/**
 * How strangers initiate on a family's chain. Whoever initiates chooses everything that the terms do not fix: who sends, in which form, with which
 * accounts, flags, bumps and tags. Each way says what it leaves free; fast-check chooses.
 */

import type { Funding } from '@tandem/protocol/funding/funding.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import fc from 'fast-check'
import type { PinnedDeployment } from '../browser/family.ts'

/** What the parties have agreed on; the initiation is the stranger's. */
export type AgreedSwap = { readonly terms: HtlcTerms; readonly deadline: bigint; readonly funding: Funding }

/**
 * `counts`: the chain accepts it, and it is the agreed deposit. `never`: the chain refuses it, or it is no deposit of the swap. A way says which, so that
 * it cannot stop to be played unnoticed; `may` where that follows from the choice.
 */
export type Outcome = 'counts' | 'never' | 'may'

/** One initiation with everything chosen. */
export type Attempt = {
  readonly way: string
  readonly outcome: Outcome
  readonly choice: unknown
  /** The terms that are agreed on, where the choice is a part of them. */
  agree(terms: HtlcTerms): Promise<HtlcTerms>
  /** May mine. Rejects with `RefusedByChain` alone; where a refusal shows in a block, it resolves. */
  initiate(swap: AgreedSwap): Promise<void>
}

export type StrangersWay = { draw(runs: number, seed: number): readonly Attempt[] }

export interface StrangersInitiations {
  /** With accounts that have what they need, whatever was done to others before. */
  open(): Promise<readonly StrangersWay[]>
  /** What the HTLC holds for all its orders together, in units of the terms: one that was not paid would be redeemed with the money of others. Absent: each order holds its own. */
  readonly held?: () => Promise<bigint>
  /** How the SDK of a user reads this chain. Null where it cannot through these nodes. */
  readonly sdk: { readonly url: string; readonly deployment: PinnedDeployment } | null
}

export class RefusedByChain extends Error {
  override readonly name = 'RefusedByChain'
}

export type ChoicesOf<C> = {
  readonly choices: fc.Arbitrary<C>
  /** Played always, before those that are drawn. */
  readonly examples?: readonly C[]
}

type WayOf<C> = ChoicesOf<C> & {
  readonly outcome: Outcome
  readonly agree?: (terms: HtlcTerms, choice: C) => HtlcTerms | Promise<HtlcTerms>
  readonly initiate: (swap: AgreedSwap, choice: C) => Promise<void>
}

export function strangersWay<C>(way: string, { outcome, choices, examples = [], agree, initiate }: WayOf<C>): StrangersWay {
  const attempt = (choice: C): Attempt => ({
    way,
    outcome,
    choice,
    agree: async (terms) => agree?.(terms, choice) ?? terms,
    initiate: (swap) => initiate(swap, choice),
  })
  return {
    draw(runs, seed) {
      const drawn = [...examples, ...fc.sample(choices, { numRuns: runs, seed })]
      // Equal choices are played once.
      return [...new Map(drawn.map((choice) => [fc.stringify(choice), choice])).values()].map(attempt)
    },
  }
}

/** A few choices, all of which are played: what the seed leaves out is never seen. */
export function each<const C>(...choices: readonly [C, ...C[]]): ChoicesOf<C> {
  return { choices: fc.constantFrom(...choices), examples: choices }
}

/** For ways without a choice: played once. */
export function onlyWay(way: string, outcome: Outcome, initiate: (swap: AgreedSwap) => Promise<void>): StrangersWay {
  const only: Attempt = { way, outcome, choice: null, agree: async (terms) => terms, initiate }
  return { draw: () => [only] }
}
