/** One transaction redeems several HTLCs of one asset and one redeemer, by their secrets. */

import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import type { Outbox } from '../outbox.ts'
import type { SpendableDeposit } from '../spend.ts'

export interface BatchRedeem {
  /** For each item: false if it certainly cannot be redeemed now. Such an item must not be in a batch. Neither needs nor shows the secrets. */
  areRedeemable(items: readonly RedeemItem[]): Promise<readonly boolean[]>
  /** Pays the redeemer. Items that somebody else settles meanwhile are left out by the chain, and the others are redeemed. */
  redeem(items: readonly RedeemItem[], outbox: Outbox): Promise<string>
}

export type RedeemItem = { readonly terms: HtlcTerms; readonly deposits: readonly SpendableDeposit[]; readonly secret: Hex32 }
