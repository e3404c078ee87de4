/** The service has the secret and has not redeemed. With `call` anybody can, in the user's favour, until the timelock of the destination ends. */
import type { RedeemCall } from '../families/family.ts'

export class UnredeemedError extends Error {
  readonly orderId: string
  readonly call: RedeemCall | null

  constructor(orderId: string, call: RedeemCall | null, options?: ErrorOptions) {
    super(`order ${orderId}: the service has the secret and has not redeemed: send \`call\` of this error now, from any account`, options)
    this.name = 'UnredeemedError'
    this.orderId = orderId
    this.call = call
  }
}
