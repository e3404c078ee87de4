/** Prefunded swaps: the payer's money lies in an account of its own at the HTLC, and the payer consents on the chain to one swap until its deadline. */
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Outbox } from '../outbox.ts'

/** `deadline`: until when it may be funded, unix seconds. `payer`: who pays, if not the initiator. */
export type PrefundedSwap = { readonly terms: HtlcTerms; readonly deadline: bigint; readonly payer?: string | null }

export interface Prefund {
  /**
   * What the payer's account holds for each swap to which the payer consented: to initiate it, or, if it can no longer be initiated, to be reclaimed.
   * Zero for all others. The number of requests does not grow with the number of swaps.
   */
  amounts(swaps: readonly PrefundedSwap[]): Promise<readonly bigint[]>
  /** Initiates with the prefund, once it is enough. The payer consented on the chain, so no signature is needed. */
  initiate(swap: PrefundedSwap, outbox: Outbox): Promise<string>
  /** Returns the prefund to the payer once it can no longer be initiated. Safe to repeat; null once nothing is left to return. */
  reclaim(swap: PrefundedSwap, outbox: Outbox): Promise<string | null>
}
