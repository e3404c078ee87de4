/** Anyone may send any amount to an HTLC, any number of times: the redeemer signs which deposits it pays for, and how much. */

import type { Signer } from '@tandem/keys/key.ts'
import type { Fill } from '@tandem/protocol/fill.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'

export interface PartialDeposits {
  /** A payload that only `verifyFill` reads. */
  signFill(terms: HtlcTerms, orderId: string, fill: Fill, signer: Signer): string
  /** False for anything but the redeemer's signature over exactly this fill. */
  verifyFill(terms: HtlcTerms, orderId: string, fill: Fill, signature: string): boolean
}
