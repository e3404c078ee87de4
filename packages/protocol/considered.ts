/**
 * Chooses the deposits of a swap that are considered. Anyone may send dust to an HTLC any number of times, and each considered deposit costs work in every
 * derivation. The others are only counted: they are not refunded automatically, but the refund package can refund them. The choice depends only on the events
 * and the fill, so both parties consider the same deposits.
 */
import { MAX_COUNTED } from './counting.ts'
import type { HtlcEvent } from './htlc.ts'

export type Initiation = Extract<HtlcEvent, { readonly kind: 'initiated' }>

/** The limit of mined deposits, largest first. A stranger who wants to displace a deposit must send a hundred larger ones and loses them all to the user. */
export const MAX_MINED = 100
/** Unconfirmed deposits, largest first, cost nothing to send, so they have a limit of their own and displace no mined ones. */
export const MAX_UNCONFIRMED = 20

export type Consideration = {
  readonly amount: bigint
  /** The list is empty without a fill. */
  readonly filled: readonly string[]
}

/**
 * `deposits` must be in the chain's order, and so is the result. Besides the largest deposits it has those of the fill, and those that decide whether a swap is
 * funded exactly: the first ones, and the first one of exactly the amount.
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

/** Among equal deposits the first wins. */
export function largest<D extends { readonly amount: bigint }>(deposits: readonly D[], limit: number): readonly D[] {
  if (deposits.length <= limit) return deposits
  return deposits.toSorted((a, b) => (a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1)).slice(0, limit)
}
