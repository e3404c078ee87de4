/** Refunds before the timelock ends, with the redeemer's consent. Payloads between the parties are opaque to all other code. */
import type { Signer } from '@tandem/keys/key.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { InstantRefund, SignedInstantRefund } from '@tandem/protocol/order.ts'
import type { Outbox } from '../outbox.ts'
import type { SpendRequest } from '../spend.ts'

/** If the family has the ability `cosignedRefund`, the initiator must sign too. Else the redeemer's signature is enough, and the HTLC pays its initiator. */
export interface InstantRefundAbility {
  /** Proposes the deposits that are worth their fee, with one payment each. The fee may depend on how the refunds are signed. */
  propose(terms: HtlcTerms, spend: SpendRequest & { readonly to: string }, signing: Cosigning): Promise<readonly InstantRefund[]>
  /**
   * The redeemer signs exactly these deposits and payments. The result is a payload for `combine`. Rejects if the chain would not accept it
   * now. No node may see it: the caller decides after this whether it gives it away, and may still pay if it does not.
   */
  sign(terms: HtlcTerms, refunds: readonly InstantRefund[], signer: Signer): Promise<string>
  /**
   * `initiator` has one signature for each refund where the initiator must sign too, else none. Throws `invalid_signature` or `bad_request`
   * unless all are valid for exactly these refunds.
   */
  combine(
    terms: HtlcTerms,
    refunds: readonly InstantRefund[],
    signatures: { readonly initiator: readonly string[]; readonly redeemer: string },
  ): Promise<readonly SignedInstantRefund[]>
  /**
   * Sending costs its sender at most this much now, in the smallest unit of the chain's own coin. An initiator that is a contract can burn
   * all gas that it gets. If this is absent, the cost is the refund of `legCost`, or the deposit pays the fee.
   */
  maxCost?(terms: HtlcTerms): Promise<bigint>
  /** The outbox's signer pays the fee. Where the fee was fixed when the refund was signed, the signer pays only the rise since then, if it holds enough. */
  send(terms: HtlcTerms, refunds: readonly SignedInstantRefund[], outbox: Outbox): Promise<string>
}

export type Cosigning = 'together' | 'apart'
