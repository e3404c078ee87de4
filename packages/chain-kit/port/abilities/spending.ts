/** Some families fund and spend HTLCs beyond the core: by cancelling, several deposits, keys per order, rent, batches. */
import type { Signer } from '@tandem/keys/key.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Fill } from '@tandem/protocol/fill.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import type { Outbox } from '../outbox.ts'
import type { SpendableDeposit } from '../spend.ts'
import type { RefundPackage } from './rescue.ts'

/**
 * Cancels an initiation that is signed, unmined and not wanted: makes sure that no attempt of the action is mined from now on, because a payment that is
 * mined late is lost. Returns the hash of the cancelling transaction, or null once no attempt can be mined. Safe to repeat.
 */
export type Cancel = (outbox: Outbox) => Promise<string | null>

/** Anyone may send any amount to an HTLC, any number of times: the redeemer signs which deposits it pays for, and how much. */
export interface PartialDeposits {
  /** Only `verifyFill` reads this payload. */
  signFill(terms: HtlcTerms, orderId: string, fill: Fill, signer: Signer): Promise<string>
  verifyFill(terms: HtlcTerms, orderId: string, fill: Fill, signature: string): boolean
}

/**
 * A payout takes at most this network fee out of its own amount: at the highest pace at which it may be sent, to any kind of address, with
 * a margin for a rise of fees until then. Quotes promise the rest to the recipient. It is absent where someone else pays.
 */
export type PayoutFee = (asset: AssetId) => Promise<bigint>

/** The user's party in an HTLC is a key, made by the service for this order or supplied by the user, instead of an account. */
export interface OrderKeys {
  /** Null means that the text is not a key. Throws `invalid_address` for a key that cannot be used. */
  parseUserKey(text: string): UserKey | null
  /** Throws `invalid_signature` unless the owner of `address` signed `message`. */
  verifyMessage(address: string, message: string, proof: string): void
  /** With the package the initiator can refund deposits without us. `privateKey` is null if the initiator has it already. */
  refundPackage(terms: HtlcTerms, privateKey: string | null, refundAddress: string | null): RefundPackage
}

export type UserKey = {
  readonly identity: string
  readonly address: string
}

/** A settled HTLC keeps the rent of its account until the account is closed (`Chain.settledHtlcKeepsRent`). Then the rent goes back to its payer. */
export interface Rent {
  /** The account of a settled swap can be closed from this time on (unix seconds). Null means that there is no such account. */
  keptUntil(terms: HtlcTerms): Promise<bigint | null>
  /** Closes the account. Safe to repeat. Rejects with `would-fail` before its time, and with `superseded` once it is closed. */
  giveBack(terms: HtlcTerms, outbox: Outbox): Promise<string>
}

/**
 * A redeem can give the recipient some of the chain's coin in the same transaction (`SpendRequest.gas`), for one that holds a token and could not move it.
 * The payout never fails because of the gift: what the recipient does not take stays with the sender.
 */
export interface PayoutGas {
  /** Those of the chain's coin, which need not be listed. */
  readonly decimals: number
  /** The chain gives no less than this to an account that does not exist. */
  readonly minAmount: bigint
}

/** One transaction redeems several HTLCs of one asset and one redeemer, by their secrets. */
export interface BatchRedeem {
  areRedeemable(items: readonly RedeemItem[]): Promise<readonly boolean[]>
  /** Pays the redeemer. Items that somebody else settles meanwhile are left out by the chain, and the others are redeemed. */
  redeem(items: readonly RedeemItem[], outbox: Outbox): Promise<string>
}

export type RedeemItem = { readonly terms: HtlcTerms; readonly deposits: readonly SpendableDeposit[]; readonly secret: Hex32 }
