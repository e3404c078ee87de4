/** The user's own node does not show what the service says: that the user was paid. */
export class UnpaidError extends Error {
  readonly orderId: string
  /** The destination. */
  readonly chain: string
  /** `refunded`: the solver has taken its payment back. `unpaid`: it is still there, or was never made. */
  readonly shown: 'refunded' | 'unpaid'

  constructor(orderId: string, chain: string, shown: 'refunded' | 'unpaid', options?: ErrorOptions) {
    super(`order ${orderId}: ${MEANINGS[shown](chain)}`, options)
    this.name = 'UnpaidError'
    this.orderId = orderId
    this.chain = chain
    this.shown = shown
  }
}

const MEANINGS = {
  refunded: (chain: string) =>
    `the solver has taken the destination back on ${chain}, it was not redeemed in time: call refund(orderId) for what you paid, the solver may have it already`,
  unpaid: (chain: string) => `the service says that you were paid, and your own node of ${chain} shows that you were not`,
} as const
