/**
 * Which deposits of a swap are considered. Anyone may send dust to an HTLC any number of times, and each considered deposit costs work in
 * every derivation. The others are only counted: they are not refunded automatically, but the refund package still refunds them.
 * Depends on the events and the fill only, so both parties consider the same deposits.
 */
import { MAX_COUNTED } from './counting.ts'
import type { HtlcEvent } from './htlc.ts'

export type Initiation = Extract<HtlcEvent, { readonly kind: 'initiated' }>

/** Mined deposits, largest first. Twenty times what counts: to displace a deposit takes a hundred larger ones, all lost to the user. */
export const MAX_MINED = 100
/** Unconfirmed deposits, largest first. A bound of its own: these cost nothing to send, and must not displace mined ones. */
export const MAX_UNCONFIRMED = 20

export type Consideration = {
  /** The agreed amount of this swap. */
  readonly amount: bigint
  /** Ids of the deposits of the fill; empty without one. */
  readonly filled: readonly string[]
}

/**
 * `deposits` must be in the chain's order, and the result is too. Besides the largest: the deposits of the fill, and those that decide whether
 * a swap is funded exactly (the first ones, and the first of exactly the amount).
 */
export function considerDeposits(deposits: readonly Initiation[], { amount, filled }: Consideration): readonly Initiation[] {
  const mined = deposits.filter(({ block }) => block !== null)
  const unconfirmed = deposits.filter(({ block }) => block === null)
  if (mined.length <= MAX_MINED && unconfirmed.length <= MAX_UNCONFIRMED) return deposits
  const ids = new Set(filled)
  const exact = deposits.find((deposit) => deposit.amount === amount)
  const considered = new Set([
    ...largest(mined, MAX_MINED),
    ...largest(unconfirmed, MAX_UNCONFIRMED),
    ...deposits.slice(0, MAX_COUNTED),
    ...(exact === undefined ? [] : [exact]),
    ...deposits.filter(({ deposit }) => ids.has(deposit)),
  ])
  return deposits.filter((deposit) => considered.has(deposit))
}

/** Of equal ones the first. */
export function largest<D extends { readonly amount: bigint }>(deposits: readonly D[], limit: number): readonly D[] {
  if (deposits.length <= limit) return deposits
  return deposits.toSorted((a, b) => (a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1)).slice(0, limit)
}
