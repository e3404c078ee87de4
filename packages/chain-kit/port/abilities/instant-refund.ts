/** A refund before the timelock ends, which the redeemer consents to. Payloads between the parties are opaque to all other code. */

import type { Signer } from '@tandem/keys/key.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { InstantRefund, SignedInstantRefund } from '@tandem/protocol/order.ts'
import type { Outbox } from '../outbox.ts'
import type { SpendRequest } from '../spend.ts'

/** With the ability `cosignedRefund` the initiator must sign too. Without it the redeemer's signature is enough, and the HTLC pays its initiator. */
export interface InstantRefundAbility {
  /** The refunds to sign: the deposits that are worth their fee, one payment each. The fee may depend on how they are signed. */
  propose(terms: HtlcTerms, spend: SpendRequest & { readonly to: string }, signing: Cosigning): Promise<readonly InstantRefund[]>
  /** The redeemer's signatures over exactly these deposits and payments: a payload for `combine`. */
  sign(terms: HtlcTerms, refunds: readonly InstantRefund[], signer: Signer): Promise<string>
  /**
   * `initiator`: one signature for each refund where the initiator must sign too, else none. Throws `invalid_signature` or `bad_request` unless all are
   * valid for exactly these refunds.
   */
  combine(
    terms: HtlcTerms,
    refunds: readonly InstantRefund[],
    signatures: { readonly initiator: readonly string[]; readonly redeemer: string },
  ): Promise<readonly SignedInstantRefund[]>
  /**
   * The most that sending costs its sender now, in the smallest unit of the chain's own coin. An initiator that is a contract can burn all gas that it gets.
   * Absent: the refund of `legCost`, or the deposit pays the fee.
   */
  mostCost?(terms: HtlcTerms): Promise<bigint>
  /** The outbox's signer pays the fee, or, where it was fixed when the refund was signed, what it has risen since, if it holds enough. */
  send(terms: HtlcTerms, refunds: readonly SignedInstantRefund[], outbox: Outbox): Promise<string>
}

/** Two keys make one signature together (`begin`, `answer`), or each its own (`sign`, `combine`). */
export type Cosigning = 'together' | 'apart'
