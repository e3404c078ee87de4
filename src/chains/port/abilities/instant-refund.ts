/** Both parties sign a refund before the timelock ends. Payloads between them are opaque to all other code. */

import type { Signer } from '../../../keys/key.ts'
import type { HtlcTerms } from '../../../protocol/htlc.ts'
import type { InstantRefund, SignedInstantRefund } from '../../../protocol/order.ts'
import type { Outbox } from '../outbox.ts'
import type { SpendRequest } from '../spend.ts'

export interface InstantRefundAbility {
  /** The refunds to sign: the deposits that are worth their fee, one payment each. The fee depends on how they are signed. */
  propose(terms: HtlcTerms, spend: SpendRequest & { readonly to: string }, signing: Cosigning): Promise<readonly InstantRefund[]>

  // If we hold the initiator's key: one round trip, one signature by both keys together.

  /** The initiator's side of one signing. It can be finished once; after any failure, begin again. */
  begin(terms: HtlcTerms, refunds: readonly InstantRefund[], signer: Signer): Promise<InstantRefundSession>
  /** The redeemer's side: a payload for `finish`. Throws `bad_request` or `invalid_signature` for a bad offer, before anything is signed. */
  answer(terms: HtlcTerms, refunds: readonly InstantRefund[], offer: string, signer: Signer): Promise<string>

  // If the initiator keeps its key: each side makes its own signature.

  /** The hash that the initiator signs for each refund (32 bytes, hex). */
  hashes(terms: HtlcTerms, refunds: readonly InstantRefund[]): Promise<readonly string[]>
  /**
   * Throws unless this is the initiator's signature over exactly this deposit and payment: `bad_request` if it is malformed, else
   * `invalid_signature`. The message says what form is expected.
   */
  verifyInitiatorSignature(terms: HtlcTerms, refund: InstantRefund, signature: string): Promise<void>
  /** The redeemer's signatures over exactly these deposits and payments: a payload for `combine`. */
  sign(terms: HtlcTerms, refunds: readonly InstantRefund[], signer: Signer): Promise<string>
  /** `initiator`: one signature for each refund. Throws `invalid_signature` or `bad_request` unless all are valid for exactly these refunds. */
  combine(
    terms: HtlcTerms,
    refunds: readonly InstantRefund[],
    signatures: { readonly initiator: readonly string[]; readonly redeemer: string },
  ): Promise<readonly SignedInstantRefund[]>

  /** If the fee has risen since both signed, the outbox's signer adds the difference, if it holds enough. */
  send(terms: HtlcTerms, refunds: readonly SignedInstantRefund[], outbox: Outbox): Promise<string>
}

/** Two keys make one signature together (`begin`, `answer`), or each its own (`sign`, `combine`). */
export type Cosigning = 'together' | 'apart'

export interface InstantRefundSession {
  /** A payload for `answer`. */
  readonly offer: string
  /** Throws unless the answer is valid for every refund. A second call throws. */
  finish(answer: string): Promise<readonly SignedInstantRefund[]>
}
