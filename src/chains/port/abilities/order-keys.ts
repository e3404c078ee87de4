/** The user takes part in an HTLC through a key made for this order, or brought for it, instead of an account. */
import type { HtlcTerms } from '../../../protocol/htlc.ts'
import type { RefundPackage } from './rescue.ts'

export interface OrderKeys {
  /** A public key of the user's own: null if the text is no key; throws `invalid_address` if it is one that cannot be used. */
  parseUserKey(text: string): UserKey | null
  /** Throws `invalid_signature` unless whoever can spend from `address` signed `message`. */
  verifyMessage(address: string, message: string, proof: string): void
  /** All that the initiator needs to take deposits back without us. `privateKey`: null when the initiator has it already. */
  refundPackage(terms: HtlcTerms, privateKey: string | null, refundAddress: string | null): RefundPackage
}

export type UserKey = {
  /** What the key is called inside `HtlcTerms`. */
  readonly identity: string
  /** Where money goes that leaves the HTLC towards its owner, unless they say otherwise. */
  readonly address: string
}
