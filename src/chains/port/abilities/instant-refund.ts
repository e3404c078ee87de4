/** Both parties together give deposits back before their timelock ends. */

import type { PartialSignature, Signer } from '../../../keys/key.ts'
import type { HtlcTerms } from '../../../protocol/htlc.ts'
import type { InstantRefund, SignedInstantRefund } from '../../../protocol/order.ts'
import type { Outbox } from '../outbox.ts'
import type { SpendRequest } from '../spend.ts'

export interface InstantRefundAbility {
  /** What is to be signed: those of the deposits that bear their fee, each paying an output of its own. The fee depends on how they are signed. */
  propose(terms: HtlcTerms, spend: SpendRequest & { readonly to: string }, signing: Cosigning): Promise<readonly InstantRefund[]>

  // With the initiator's key at hand: one round trip, one signature by both keys together.

  /** The initiator's side of one signing, which can be finished once; started anew after any failure. */
  begin(terms: HtlcTerms, refunds: readonly InstantRefund[], signer: Signer): InstantRefundSession
  /** The redeemer's side: one answer for each refund, in the same sequence. */
  answer(terms: HtlcTerms, refunds: readonly InstantRefund[], nonces: readonly string[], signer: Signer): readonly PartialSignature[]

  // With an initiator who keeps its key: each side signs for itself.

  /** What the initiator signs for each refund (32 bytes, hex). */
  hashes(terms: HtlcTerms, refunds: readonly InstantRefund[]): readonly string[]
  /** Whether this is the initiator's own over exactly this deposit and this output. */
  isInitiatorSignature(terms: HtlcTerms, refund: InstantRefund, signature: string): boolean
  /** The redeemer's own signature over exactly this deposit and this output, hex. */
  sign(terms: HtlcTerms, refund: InstantRefund, signer: Signer): string
  /** Null unless both signatures are valid for exactly this refund. */
  combine(
    terms: HtlcTerms,
    refund: InstantRefund,
    signatures: { readonly initiator: string; readonly redeemer: string },
  ): SignedInstantRefund | null

  /** The signer of the outbox pays what the fee has risen by since both signed, if it has coins for it. */
  send(terms: HtlcTerms, refunds: readonly SignedInstantRefund[], outbox: Outbox): Promise<string>
}

/** Two keys make one signature together (`begin`, `answer`), or each its own (`sign`, `combine`). */
export type Cosigning = 'together' | 'apart'

export interface InstantRefundSession {
  /** One for each refund, hex. */
  readonly nonces: readonly string[]
  /** Throws unless every answer is right. A second call throws. */
  finish(answers: readonly PartialSignature[]): readonly SignedInstantRefund[]
}
