/**
 * Money lies in an account at the HTLC before it is locked. Either each payer has such an account, and consents on the chain to one swap until its
 * deadline; or each swap has one, and to ask for its address is the consent.
 */
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Order } from '@tandem/protocol/order.ts'
import type { Outbox } from '../outbox.ts'

/** The swap may be funded until `deadline` (unix seconds). `payer` pays, if not the initiator. */
export type PrefundedSwap = { readonly terms: HtlcTerms; readonly deadline: bigint; readonly payer?: string | null }

export function prefundedSwapOf({ source, deadline }: Pick<Order, 'source' | 'deadline'>): PrefundedSwap {
  return { terms: source.terms, deadline, payer: source.payer }
}

export interface Prefund {
  /**
   * Where each swap has an account: its address, a pure function of the terms and the deadline. Anyone may pay it, in any number of transfers. What is
   * not initiated goes back to the initiator of the swap. Absent where payers have accounts.
   */
  addressOf?(swap: PrefundedSwap): string
  /**
   * Where chains differ in what these addresses need, whether this one was seen to execute it. Until then no user is told an address. `verifyNode` finds
   * it out. Absent where it is known.
   */
  isProven?(): boolean
  /**
   * Each result is the amount in the payer's account for a swap to which the payer consented, or at the address of the swap, whether it can be
   * initiated or must be reclaimed; zero for all others. The number of requests does not grow with the number of swaps.
   */
  amounts(swaps: readonly PrefundedSwap[]): Promise<readonly bigint[]>
  initiate(swap: PrefundedSwap, outbox: Outbox): Promise<string>
  /**
   * Returns the prefund to the payer, or from the address of a swap to its initiator, once no initiation can use it. That is after the deadline; at an
   * address of a swap also once the swap was initiated. Safe to repeat; null once nothing is left to return.
   */
  reclaim(swap: PrefundedSwap, outbox: Outbox): Promise<string | null>
}
