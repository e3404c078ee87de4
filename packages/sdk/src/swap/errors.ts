/** The errors of a swap that was paid for, or may have been. */
import type { RedeemCall } from '@tandem/chain-kit/browser/family.ts'

/** The wallet was asked to pay for this order before, by this page or by another. A second payment waits for a refund, or is lost. */
export class AlreadyPaidError extends Error {
  readonly orderId: string

  constructor(orderId: string) {
    super(`order ${orderId}: another page has asked the wallet to pay, or its secret is known already: watch it instead of paying again`)
    this.name = 'AlreadyPaidError'
    this.orderId = orderId
  }
}

/** The service says that the user was paid, and the user's own node does not show it. */
export class UnpaidError extends Error {
  readonly orderId: string
  /** The destination. */
  readonly chain: string
  /** `refunded`: the solver has taken its payment back. `unpaid`: it is still there, or was never made. */
  readonly shown: 'refunded' | 'unpaid'

  constructor(orderId: string, chain: string, shown: 'refunded' | 'unpaid', options?: ErrorOptions) {
    super(`order ${orderId}: ${UNPAID_MEANINGS[shown](chain)}`, options)
    this.name = 'UnpaidError'
    this.orderId = orderId
    this.chain = chain
    this.shown = shown
  }
}

const UNPAID_MEANINGS = {
  refunded: (chain: string) =>
    `the solver has taken the destination back on ${chain}, it was not redeemed in time: call refund(orderId) for what you paid, the solver may have it already`,
  unpaid: (chain: string) => `the service says that you were paid, and your own node of ${chain} shows that you were not`,
} as const

/** The service has the secret and has not redeemed. `redeem(orderId, { wallet })` does, until the timelock of the destination ends. */
export class UnredeemedError extends Error {
  readonly orderId: string
  /** The destination. */
  readonly chain: string
  /** The redeem as a call that any account can send. It is null where such a call needs a node: then only `redeem` helps. */
  readonly call: RedeemCall | null

  constructor(orderId: string, chain: string, call: RedeemCall | null, options?: ErrorOptions) {
    super(
      `order ${orderId}: the service has the secret and has not redeemed: call redeem(orderId, { wallet }) now, with any wallet of ${chain}`,
      options,
    )
    this.name = 'UnredeemedError'
    this.orderId = orderId
    this.chain = chain
    this.call = call
  }
}
