/** The payer's money lies in an account of its own at the HTLC, and the payer consents on the chain to one swap until its deadline. */
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Outbox } from '../outbox.ts'

/** The swap may be funded until `deadline` (unix seconds). `payer` pays, if not the initiator. */
export type PrefundedSwap = { readonly terms: HtlcTerms; readonly deadline: bigint; readonly payer?: string | null }

export interface Prefund {
  /**
   * Each result is the amount in the payer's account for a swap to which the payer consented, whether it can be initiated or must be
   * reclaimed; zero for all others. The number of requests does not grow with the number of swaps.
   */
  amounts(swaps: readonly PrefundedSwap[]): Promise<readonly bigint[]>
  initiate(swap: PrefundedSwap, outbox: Outbox): Promise<string>
  /** Returns the prefund to the payer once no initiation can use it. Safe to repeat; null once nothing is left to return. */
  reclaim(swap: PrefundedSwap, outbox: Outbox): Promise<string | null>
}
