/**
 * Strangers initiate on a family's chain in these ways. The initiator chooses everything that the terms do not fix: sender, form, accounts,
 * flags, bumps and tags. Each way says what it leaves free; fast-check chooses.
 */
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import fc from 'fast-check'
import type { PinnedDeployment } from '../browser/family.ts'

export type AgreedSwap = { readonly terms: HtlcTerms; readonly deadline: bigint; readonly funding: Funding }

/**
 * counts  the chain accepts it, and it is the agreed deposit
 * never   the chain refuses it, or it is no deposit of the swap
 * may     this depends on the choice
 *
 * A way states its outcome, so that nobody overlooks when it stops working.
 */
export type Outcome = 'counts' | 'never' | 'may'

export type Attempt = {
  readonly way: string
  readonly outcome: Outcome
  readonly choice: unknown
  /** The agreed terms may contain the choice. */
  agree(terms: HtlcTerms): Promise<HtlcTerms>
  /** The way may mine. It rejects with `RefusedByChain` alone; where a refusal shows in a block, it resolves. */
  initiate(swap: AgreedSwap): Promise<void>
}

export type StrangersWay = { draw(runs: number, seed: number): readonly Attempt[] }

export interface StrangersInitiations {
  open(): Promise<readonly StrangersWay[]>
  /** The HTLC holds this for all its orders, in units of the terms: an unpaid order would be redeemed with the money of others. */
  readonly held?: () => Promise<bigint>
  /** The SDK of a user reads this chain with this node and deployment. Null means that it cannot read through these nodes. */
  readonly sdk: { readonly url: string; readonly deployment: PinnedDeployment } | null
}

export class RefusedByChain extends Error {
  override readonly name = 'RefusedByChain'
}

export type ChoicesOf<C> = {
  readonly choices: fc.Arbitrary<C>
  /** These choices are always played, before those that are drawn. */
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
      return [...new Map(drawn.map((choice) => [fc.stringify(choice), choice])).values()].map(attempt)
    },
  }
}

/** Plays all of these few choices, so that none depends on the seed. */
export function each<const C>(...choices: readonly [C, ...C[]]): ChoicesOf<C> {
  return { choices: fc.constantFrom(...choices), examples: choices }
}

export function onlyWay(way: string, outcome: Outcome, initiate: (swap: AgreedSwap) => Promise<void>): StrangersWay {
  const only: Attempt = { way, outcome, choice: null, agree: async (terms) => terms, initiate }
  return { draw: () => [only] }
}
