/** Prefunded swaps: the user pays to an address that belongs to one swap and its deadline, which is as good as a signature. */
import type { HtlcTerms } from '../../../protocol/htlc.ts'
import type { Outbox } from '../outbox.ts'

/** `deadline`: until when it may be funded, unix seconds. */
export type PrefundedSwap = { readonly terms: HtlcTerms; readonly deadline: bigint }

export interface Prefund {
  /** What is at the address of each; the number of requests to the node does not grow with the number of swaps. */
  amounts(swaps: readonly PrefundedSwap[]): Promise<readonly bigint[]>
  /** Initiates with what is there, once it is enough. Anyone may have paid it, so no signature is needed. */
  initiate(swap: PrefundedSwap, outbox: Outbox): Promise<string>
  /** Pays what is there to the initiator, when no swap can or need be made of it any more. Safe to repeat; null once nothing is there. */
  reclaim(swap: PrefundedSwap, outbox: Outbox): Promise<string | null>
}
