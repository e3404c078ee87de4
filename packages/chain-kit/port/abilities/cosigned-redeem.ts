/**
 * One transaction redeems several HTLCs of one redeemer, signed by all initiators too: cheaper, and it shows no secret. Payloads between the two
 * parties are opaque to all other code.
 */
import type { PublicKey, Signer } from '@tandem/keys/key.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Outbox } from '../outbox.ts'
import type { SpendableDeposit } from '../spend.ts'
import type { RedeemItem } from './spending.ts'

export interface CosignedRedeem {
  /** `transaction` is complete, from `CosignSession.finish`. It is preferred while it can be mined; else the secrets are used. */
  send(items: readonly RedeemItem[], transaction: string, outbox: Outbox): Promise<string>
  /** True means that the offer can be used in a draft for an item with this many deposits. One that cannot must not stop the others. */
  isOffer(offer: string, deposits: number): Promise<boolean>
  /**
   * The redeemer's payload is for `CosignSession.finish`. Throws `bad_request` or `invalid_signature` for a bad offer, before anything is
   * signed.
   */
  draft(items: readonly (RedeemItem & { readonly offer: string })[], signer: Signer): Promise<string>
  /**
   * The party that holds the initiators' keys signs. This gives the deposits to the redeemer: call it only when every redeem of the other
   * leg is final.
   */
  cosign(
    items: readonly { readonly terms: HtlcTerms; readonly deposits: readonly SpendableDeposit[]; readonly signer: Signer }[],
  ): Promise<CosignSession>
  /** Throws `bad_request` unless this is a complete transaction that pays the redeemer for all deposits of these items and nothing else. */
  verify(transaction: string, items: readonly RedeemItem[], redeemer: PublicKey): Promise<void>
}

export interface CosignSession {
  readonly offers: readonly string[]
  /** Throws unless the draft spends only deposits of the items, pays the redeemer, and is signed correctly. A second call throws. */
  finish(draft: string): Promise<CosignedTransaction>
}

export type CosignedTransaction = {
  readonly transaction: string
  readonly deposits: readonly string[]
}
