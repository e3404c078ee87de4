/** The user's party in an HTLC is a key, made by the service for this order or supplied by the user, instead of an account. */
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { RefundPackage } from './rescue.ts'

export interface OrderKeys {
  /** A public key of the user's own: null if the text is not a key; throws `invalid_address` for a key that cannot be used. */
  parseUserKey(text: string): UserKey | null
  /** Throws `invalid_signature` unless the owner of `address` signed `message`. */
  verifyMessage(address: string, message: string, proof: string): void
  /** All that the initiator needs to refund deposits without us. `privateKey`: null when the initiator has it already. */
  refundPackage(terms: HtlcTerms, privateKey: string | null, refundAddress: string | null): RefundPackage
}

export type UserKey = {
  /** The party in `HtlcTerms`. */
  readonly identity: string
  /** The default recipient of the owner's payouts and refunds. */
  readonly address: string
}
