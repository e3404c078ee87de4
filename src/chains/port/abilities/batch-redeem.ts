/** Redeems of several HTLCs by one redeemer in one transaction. */

import type { PartialSignature, Signer } from '../../../keys/key.ts'
import type { HtlcTerms } from '../../../protocol/htlc.ts'
import type { Hex32 } from '../../../protocol/secret.ts'
import type { Outbox } from '../outbox.ts'
import type { SpendableDeposit } from '../spend.ts'

export interface BatchRedeem {
  /** `cosigned`: a transaction that the initiators have signed too, to be preferred while it can be mined; hex. Alone, secrets suffice. */
  redeem(items: readonly RedeemItem[], cosigned: string | null, outbox: Outbox): Promise<string>
  /** The redeemer's side of a transaction that all initiators sign too: cheaper, and it shows no secret. */
  draft(items: readonly (RedeemItem & { readonly nonces: readonly string[] })[], signer: Signer): Promise<CosignDraft>
  /**
   * The initiators' side, by whoever holds their keys, to be finished once. To be used only when every redeem of the other side is final:
   * it gives the deposits away.
   */
  cosign(
    items: readonly { readonly terms: HtlcTerms; readonly deposits: readonly SpendableDeposit[]; readonly signer: Signer }[],
  ): CosignSession
  /** Throws `bad_request` unless this is a complete transaction that pays the signer for deposits of these items and nothing else. */
  verify(transaction: string, items: readonly RedeemItem[], signer: Signer): void
}

export type RedeemItem = { readonly terms: HtlcTerms; readonly deposits: readonly SpendableDeposit[]; readonly secret: Hex32 }

/** A redeem that waits for the initiators' part: the unsigned transaction, hex, and the redeemer's part for each of its inputs. */
export type CosignDraft = {
  readonly transaction: string
  readonly inputs: readonly (PartialSignature & { readonly deposit: string })[]
}

export interface CosignSession {
  /** For each item, one for each deposit; hex. */
  readonly nonces: readonly (readonly string[])[]
  /** The complete transaction, hex. Throws unless the draft spends deposits of the items only and the redeemer's part is right. A second call throws. */
  finish(draft: CosignDraft): string
}
