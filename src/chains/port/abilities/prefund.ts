/** Prefunded swaps: the user pays to an address that is bound to one swap and its deadline. The payment replaces the signature. */
import type { HtlcTerms } from '../../../protocol/htlc.ts'
import type { Outbox } from '../outbox.ts'

/** `deadline`: until when it may be funded, unix seconds. */
export type PrefundedSwap = { readonly terms: HtlcTerms; readonly deadline: bigint }

export interface Prefund {
  /** The balance of each prefund address. The number of requests does not grow with the number of swaps. */
  amounts(swaps: readonly PrefundedSwap[]): Promise<readonly bigint[]>
  /** Initiates with the prefund, once it is enough. Anyone may have paid it, so no signature is needed. */
  initiate(swap: PrefundedSwap, outbox: Outbox): Promise<string>
  /** Returns the prefund to the initiator once it can no longer be initiated. Safe to repeat; null once the address is empty. */
  reclaim(swap: PrefundedSwap, outbox: Outbox): Promise<string | null>
}
