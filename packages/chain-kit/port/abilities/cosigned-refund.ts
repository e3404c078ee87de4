/** The initiator signs an instant refund too. Payloads between the two parties are opaque to all other code. */
import type { Signer } from '@tandem/keys/key.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { InstantRefund, SignedInstantRefund } from '@tandem/protocol/order.ts'

export interface CosignedRefund {
  // The next two are for an initiator's key that we hold: one round trip, one signature by both keys together.

  /** A session can be finished once; after any failure, begin again. */
  begin(terms: HtlcTerms, refunds: readonly InstantRefund[], signer: Signer): Promise<InstantRefundSession>
  /** The redeemer's payload is for `finish`. Throws `bad_request` or `invalid_signature` for a bad offer, before anything is signed. */
  answer(terms: HtlcTerms, refunds: readonly InstantRefund[], offer: string, signer: Signer): Promise<string>

  // The next two are for an initiator that keeps its key: each side makes its own signature, the redeemer by `InstantRefundAbility.sign`.

  /** The initiator signs one hash (32 bytes, hex) for each refund. */
  hashes(terms: HtlcTerms, refunds: readonly InstantRefund[]): Promise<readonly string[]>
  /**
   * Throws unless this is the initiator's signature over exactly this deposit and payment: `bad_request` if it is malformed, else
   * `invalid_signature`. The message says what form is expected.
   */
  verifyInitiatorSignature(terms: HtlcTerms, refund: InstantRefund, signature: string): Promise<void>
}

export interface InstantRefundSession {
  readonly offer: string
  /** Throws unless the answer is valid for every refund. A second call throws. */
  finish(answer: string): Promise<readonly SignedInstantRefund[]>
}
