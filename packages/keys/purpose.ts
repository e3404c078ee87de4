/**
 * Every signature has a purpose. No key signs without one, so that a signer in a separate process can check each request by the order, the
 * leg, the verb and the terms that it claims to serve. The union is closed: a new reason to sign is a new member here.
 */
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { ActionVerb, Leg } from '@tandem/protocol/order.ts'

export type Purpose = OrderPurpose | DeployPurpose | RescuePurpose | ClaimPurpose | FundPurpose | WithdrawPurpose

export type OrderPurpose = {
  readonly kind: 'order'
  readonly chain: ChainId
  /** There are several actions if one transaction serves several orders. */
  readonly actions: readonly [OrderAction, ...OrderAction[]]
}

export type OrderAction = {
  readonly order: string
  readonly leg: Leg
  readonly verb: SignedVerb
  readonly terms: HtlcTerms
  /** A redeem may give the recipient this much of the chain's coin, out of the sender's own. It is absent where nothing is given. */
  readonly gas?: bigint
  /** A redeem or a refund pays the user at this address, where the spender chooses it. It is absent where a party of the terms is paid. */
  readonly to?: string
  /** An initiation of a destination says what it is paid with. */
  readonly paidBy?: SourceEvidence
}

declare const readFromChain: unique symbol

/** Where the source of an order was seen. The brand makes sure that only code which read the chain makes one, and never a row. */
export type SourceEvidence = SourceHint & { readonly [readFromChain]: true }

/** A process that trusts nobody reads the source at these places itself. */
export type SourceHint = {
  readonly chain: ChainId
  readonly terms: HtlcTerms
  /** The deposits that are paid for. `height` is of the block of the deposit. */
  readonly deposits: readonly { readonly id: string; readonly height: bigint }[]
}

/**
 * relay            an initiation with the user's consent, whose fee another party pays
 * cancel           a replacement for a transaction that must not be mined any more
 * fill             which deposits the redeemer pays for, and how much
 * instant-refund   a refund of a deposit before its timelock ends, signed by both parties
 * cosigned-redeem  a redeem that the initiator signs too: it shows no secret
 */
export type SignedVerb = ActionVerb | 'relay' | 'cancel' | 'fill' | 'instant-refund' | 'cosigned-redeem'

/** The HTLC of `asset` is deployed. Null means the contract that pays affiliates. */
export type DeployPurpose = { readonly kind: 'deploy'; readonly chain: ChainId; readonly asset: AssetId | null }

/** The refund is made from a refund package, which names no order. */
export type RescuePurpose = { readonly kind: 'rescue'; readonly chain: ChainId; readonly terms: HtlcTerms }

export type ClaimPurpose = {
  readonly kind: 'claim'
  readonly chain: ChainId
  readonly asset: AssetId
  readonly recipient: string
  readonly total: bigint
}

/** The operator pays into the contract that pays affiliates. */
export type FundPurpose = {
  readonly kind: 'fund'
  readonly chain: ChainId
  readonly asset: AssetId
  readonly contract: string
  readonly amount: bigint
}

/** The operator sends inventory to an address of the configuration. */
export type WithdrawPurpose = {
  readonly kind: 'withdraw'
  readonly chain: ChainId
  readonly asset: AssetId
  readonly recipient: string
  readonly amount: bigint
}

export function orderPurpose(chain: ChainId, action: OrderAction): OrderPurpose {
  return { kind: 'order', chain, actions: [action] }
}
