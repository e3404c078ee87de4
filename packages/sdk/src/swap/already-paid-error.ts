/** The wallet was asked to pay for this order before, by this page or by another: whoever pays twice waits for a refund, or loses the second payment. */
export class AlreadyPaidError extends Error {
  readonly orderId: string

  constructor(orderId: string) {
    super(`order ${orderId}: another page has asked the wallet to pay, or its secret is known already: watch it instead of paying again`)
    this.name = 'AlreadyPaidError'
    this.orderId = orderId
  }
}
