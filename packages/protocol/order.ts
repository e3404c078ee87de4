/** An order's terms are two HTLCs under one secret hash. What happened to an order is derived in `state.ts`. */
import type { ChainId } from './chain-id.ts'
import type { HtlcTerms, HtlcVerb, SwapId } from './htlc.ts'

export type Leg = 'source' | 'destination'
export function otherLeg(leg: Leg): Leg {
  return leg === 'source' ? 'destination' : 'source'
}

export type Role = 'service' | 'solver'

export type Swap = {
  readonly chain: ChainId
  readonly swapId: SwapId
  readonly terms: HtlcTerms
  /** The refund on the source and the redeem on the destination pay this address of the user. It is null until known. */
  readonly userAddress: string | null
  /** The service made this public key for the order to act for the user. It is null where users act with their own key. */
  readonly orderKey: string | null
  /** This account pays and initiates in the owner's place. It is null if the owner does. */
  readonly payer: string | null
  /**
   * A plain transfer to this address funds the source, on chains whose HTLCs take calls only: see `Prefund.addressOf`. It follows from the terms and the
   * deadline. It is null if the user did not ask for it, and where the HTLC itself is an address.
   */
  readonly depositAddress: string | null
  /** The terms contain the user's own key: the service cannot act for them in this HTLC. */
  readonly clientKey: boolean
  /** The amount was agreed when the order was made. `terms.amount` follows the deposits: see `fill.ts`. */
  readonly agreedAmount: bigint
  readonly requiredConfirmations: number
  /** Where a payout pays its own fee, this maximum was stated to the user. It is null elsewhere, and where the user redeems. */
  readonly maxFee: bigint | null
  /** The redeem also gives the user this much of the chain's coin, for fees. It is null where nothing was asked for, and where the user redeems. */
  readonly gas: bigint | null
}

export type Order = {
  readonly id: string
  readonly solverId: string
  /** The time is in Unix seconds. */
  readonly createdAt: bigint
  /** A source deposit mined after this time, in Unix seconds, is never filled. */
  readonly deadline: bigint
  /** For a source deposit mined after this time, in Unix seconds, the solver may check the price again and decline. */
  readonly priceExpiresAt: bigint
  readonly source: Swap
  readonly destination: Swap
}

export type Grant =
  | InitiateGrant
  /** The user gave the secret of the order, which is sealed and not part of this. */
  | { readonly kind: 'redeem'; readonly leg: Leg }
  /** The solver signed too, and from then on never initiates the destination. */
  | InstantRefundGrant

export type InitiateGrant = { readonly kind: 'initiate'; readonly leg: Leg; readonly consent: Consent }

/** The service may initiate for the user for one of these reasons. */
export type Consent =
  /** The initiator signed the terms. Its form belongs to the chain family. */
  | { readonly kind: 'signature'; readonly signature: string }
  /** The amount was paid in advance to the address of this swap and deadline (Unix seconds). Any account may pay; there is no signature. */
  | { readonly kind: 'prefunded'; readonly deadline: bigint }

/** `transaction` is the newest one that both parties have signed, in hex. It is null before the first. */
export type InstantRefundGrant = {
  readonly kind: 'instant-refund'
  readonly leg: Leg
  readonly refunds: readonly SignedInstantRefund[]
  readonly transaction: string | null
}

/** Both parties sign the instant refund of one deposit, which has one payment. */
export type InstantRefund = {
  readonly deposit: string
  readonly amount: bigint
  readonly to: string
  /** The payment is the amount minus the network fee, which is fixed when the refund is signed. */
  readonly pays: bigint
}

/** `signature` is by both parties over exactly this payment, in hex, in the form of the chain family. */
export type SignedInstantRefund = InstantRefund & { readonly signature: string }

/** Actions are idempotent by this key: `${orderId}/${leg}/${verb}`. */
export type ActionKey = string

/** The account of the result funds the source. */
export function payerOf({ source }: Pick<Order, 'source'>): string {
  return source.payer ?? source.terms.initiator
}

/** `reclaim` returns the prefund, `close` the rent that a settled HTLC keeps. */
export type ActionVerb = HtlcVerb | 'reclaim' | 'close'

export function actionKey(orderId: string, leg: Leg, verb: ActionVerb): ActionKey {
  return `${orderId}/${leg}/${verb}`
}

export type AffiliateFee = {
  readonly address: string
  readonly asset: string
  readonly feeBips: number
  readonly amount: string
}
