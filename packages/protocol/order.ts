/** An order: two HTLCs under one secret hash. Terms only; what happened to it is derived in `state.ts`. */
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
  /** The user's payout address: of the refund on the source, of the redeem on the destination; null until known. */
  readonly userAddress: string | null
  /** The public key that the service made for this order, and acts with for the user; null where users act with their own key. */
  readonly orderKey: string | null
  /** The account that pays and initiates in the owner's place; null: the owner does. */
  readonly payer: string | null
  /** The terms contain the user's own key: the service cannot act for them in this HTLC. */
  readonly clientKey: boolean
  /** The amount agreed when the order was made. `terms.amount` follows the deposits: see `fill.ts`. */
  readonly agreedAmount: bigint
  readonly requiredConfirmations: number
  /** Where a payout pays its own network fee: the most of it that was told to the user; null elsewhere, and where the user redeems. */
  readonly mostFee: bigint | null
}

export type Order = {
  readonly id: string
  readonly solverId: string
  /** Unix seconds. */
  readonly createdAt: bigint
  /** Unix seconds: a source deposit mined after this is never filled. */
  readonly deadline: bigint
  /** Unix seconds: for a source deposit mined after this the solver may check the price again, and decline. */
  readonly priceExpiresAt: bigint
  readonly source: Swap
  readonly destination: Swap
}

/** The user's permission to the service for one leg, given after the order was made. */
export type Grant =
  | InitiateGrant
  /** The user gave the secret of the order; it is sealed and not part of this. */
  | { readonly kind: 'redeem'; readonly leg: Leg }
  /** The solver signed too: from then on it never initiates the destination. */
  | InstantRefundGrant

export type InitiateGrant = { readonly kind: 'initiate'; readonly leg: Leg; readonly consent: Consent }

/** Why the service may initiate for the user. */
export type Consent =
  /** The initiator signed the terms. Its form belongs to the chain family. */
  | { readonly kind: 'signature'; readonly signature: string }
  /** The amount was paid in advance to the address of this swap and deadline (unix seconds). Any account may pay it; there is no signature. */
  | { readonly kind: 'prefunded'; readonly deadline: bigint }

/** `transaction`: the newest one that both parties have signed, hex; null before the first. */
export type InstantRefundGrant = {
  readonly kind: 'instant-refund'
  readonly leg: Leg
  readonly refunds: readonly SignedInstantRefund[]
  readonly transaction: string | null
}

/** The instant refund of one deposit, which both parties sign, and its one payment. */
export type InstantRefund = {
  readonly deposit: string
  readonly amount: bigint
  /** The user's address. */
  readonly to: string
  /** The amount less the network fee, which is fixed when it is signed. */
  readonly pays: bigint
}

/** `signature`: of both parties, over exactly this payment; hex, in the form of the chain family. */
export type SignedInstantRefund = InstantRefund & { readonly signature: string }

/** `${orderId}/${leg}/${verb}`: actions are idempotent by this key. */
export type ActionKey = string

/** Whose money funds the source. */
export function payerOf({ source }: Pick<Order, 'source'>): string {
  return source.payer ?? source.terms.initiator
}

/** The verbs of the playbook. `reclaim` returns the prefund, `close` the rent that a settled HTLC keeps. */
export type ActionVerb = HtlcVerb | 'reclaim' | 'close'

export function actionKey(orderId: string, leg: Leg, verb: ActionVerb): ActionKey {
  return `${orderId}/${leg}/${verb}`
}

/** The fee owed to an affiliate, at the quote's prices. */
export type AffiliateFee = {
  readonly address: string
  readonly asset: string
  readonly feeBips: number
  readonly amount: string
}
