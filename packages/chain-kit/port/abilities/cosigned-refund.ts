/** The initiator signs an instant refund too. Payloads between the two parties are opaque to all other code. */

import type { Signer } from '@tandem/keys/key.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { InstantRefund, SignedInstantRefund } from '@tandem/protocol/order.ts'

export interface CosignedRefund {
  // If we hold the initiator's key: one round trip, one signature by both keys together.

  /** The initiator's side of one signing. It can be finished once; after any failure, begin again. */
  begin(terms: HtlcTerms, refunds: readonly InstantRefund[], signer: Signer): Promise<InstantRefundSession>
  /** The redeemer's side: a payload for `finish`. Throws `bad_request` or `invalid_signature` for a bad offer, before anything is signed. */
  answer(terms: HtlcTerms, refunds: readonly InstantRefund[], offer: string, signer: Signer): Promise<string>

  // If the initiator keeps its key: each side makes its own signature, the redeemer by `InstantRefundAbility.sign`.

  /** The hash that the initiator signs for each refund (32 bytes, hex). */
  hashes(terms: HtlcTerms, refunds: readonly InstantRefund[]): Promise<readonly string[]>
  /**
   * Throws unless this is the initiator's signature over exactly this deposit and payment: `bad_request` if it is malformed, else
   * `invalid_signature`. The message says what form is expected.
   */
  verifyInitiatorSignature(terms: HtlcTerms, refund: InstantRefund, signature: string): Promise<void>
}

export interface InstantRefundSession {
  /** A payload for `answer`. */
  readonly offer: string
  /** Throws unless the answer is valid for every refund. A second call throws. */
  finish(answer: string): Promise<readonly SignedInstantRefund[]>
}
