/** The service has the secret and has not redeemed. `redeem(orderId, { wallet })` does, until the timelock of the destination ends; `call` is the same for any account to send. */
import type { RedeemCall } from '@tandem/chain-kit/browser/family.ts'

export class UnredeemedError extends Error {
  readonly orderId: string
  /** The destination. */
  readonly chain: string
  /** Null where such a call needs a node: then only `redeem` helps. */
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
