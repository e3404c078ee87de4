/** Limits for payouts that fail because of their recipient: the lock, its refund and a reverted redeem are paid by us. */
export type PayoutLimits = {
  /** Sums of weights in 24 hours: 1 for a payout that was refused before it was sent, 3 for one that was mined and reverted. */
  readonly recipient: number
  readonly owner: number
  readonly app: number
}

const payoutLimits: PayoutLimits = { recipient: 4, owner: 6, app: 60 }

/** Whom a payout concerns. Empty: unknown. */
export type PayoutParties = { readonly chain: string; readonly recipient: string; readonly owner: string; readonly app: string }

export type PayoutStanding = {
  /** Why no further order pays this recipient; null: nothing is against it. */
  readonly refusal: string | null
  /**
   * False: only recipients that cannot reject are paid. The owner or the app has used up its limit. They are not refused altogether: anyone can name
   * an owner or an app.
   */
  readonly isTrusted: boolean
}

export type FailedPayout = PayoutParties & {
  readonly orderId: string
  readonly weight: number
  /** In a solver: the service that gave the order. */
  readonly service: string
}

/** `orderId`: an order that exists. Its own failures do not count against it. */
export function standingOf(
  failed: readonly FailedPayout[],
  parties: PayoutParties,
  orderId: string | null = null,
  limits: PayoutLimits = payoutLimits,
): PayoutStanding {
  const others = failed.filter((one) => one.orderId !== orderId)
  const sum = (isSame: (one: FailedPayout) => boolean) => others.reduce((total, one) => (isSame(one) ? total + one.weight : total), 0)
  const ofRecipient = sum(({ chain, recipient }) => chain === parties.chain && recipient === parties.recipient)
  const ofOwner = parties.owner === '' ? 0 : sum(({ owner }) => owner === parties.owner)
  const ofApp = parties.app === '' ? 0 : sum(({ app }) => app === parties.app)
  return {
    refusal: ofRecipient < limits.recipient ? null : `too many payouts to ${parties.recipient} failed in the last 24 hours`,
    isTrusted: ofOwner < limits.owner && ofApp < limits.app,
  }
}
