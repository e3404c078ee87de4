/** Both parties together give deposits back before their timelock ends. Payloads between them are the family's own: nobody else reads them. */

import type { Signer } from '../../../keys/key.ts'
import type { HtlcTerms } from '../../../protocol/htlc.ts'
import type { InstantRefund, SignedInstantRefund } from '../../../protocol/order.ts'
import type { Outbox } from '../outbox.ts'
import type { SpendRequest } from '../spend.ts'

export interface InstantRefundAbility {
  /** What is to be signed: the deposits that are worth their fee, each paying an output of its own. The fee depends on how they are signed. */
  propose(terms: HtlcTerms, spend: SpendRequest & { readonly to: string }, signing: Cosigning): Promise<readonly InstantRefund[]>

  // Where we hold the initiator's key: one round trip, one signature by both keys together.

  /** The initiator's side of one signing, which can be finished once; started anew after any failure. */
  begin(terms: HtlcTerms, refunds: readonly InstantRefund[], signer: Signer): InstantRefundSession
  /** The redeemer's side: a payload for `finish`. Throws `bad_request` or `invalid_signature` for a bad offer, before anything is signed. */
  answer(terms: HtlcTerms, refunds: readonly InstantRefund[], offer: string, signer: Signer): string

  // Where the initiator keeps its key: each side signs for itself.

  /** What the initiator signs for each refund (32 bytes, hex). */
  hashes(terms: HtlcTerms, refunds: readonly InstantRefund[]): readonly string[]
  /** Whether this is the initiator's own over exactly this deposit and this output. */
  isInitiatorSignature(terms: HtlcTerms, refund: InstantRefund, signature: string): boolean
  /** The redeemer's own signatures over exactly these deposits and outputs: a payload for `combine`. */
  sign(terms: HtlcTerms, refunds: readonly InstantRefund[], signer: Signer): string
  /** `initiator`: one signature for each refund. Throws `invalid_signature` or `bad_request` unless all are valid for exactly these refunds. */
  combine(
    terms: HtlcTerms,
    refunds: readonly InstantRefund[],
    signatures: { readonly initiator: readonly string[]; readonly redeemer: string },
  ): readonly SignedInstantRefund[]

  /** The outbox's signer adds what the fee has risen by since both signed, if it holds enough. */
  send(terms: HtlcTerms, refunds: readonly SignedInstantRefund[], outbox: Outbox): Promise<string>
}

/** Two keys make one signature together (`begin`, `answer`), or each its own (`sign`, `combine`). */
export type Cosigning = 'together' | 'apart'

export interface InstantRefundSession {
  /** A payload for `answer`. */
  readonly offer: string
  /** Throws unless the answer is right for every refund. A second call throws. */
  finish(answer: string): readonly SignedInstantRefund[]
}
