/** Limits for payouts that fail because of their recipient: the service and the solver pay for the lock, its refund and a reverted redeem. */
export type PayoutLimits = {
  /** The limits are sums of weights in 24 hours: 1 for a payout that was refused before it was sent, 3 for one that was mined and reverted. */
  readonly recipient: number
  readonly owner: number
  readonly app: number
}

const payoutLimits: PayoutLimits = { recipient: 4, owner: 6, app: 60 }

/** An empty text means that the party is unknown. */
export type PayoutParties = { readonly chain: string; readonly recipient: string; readonly owner: string; readonly app: string }

export type PayoutStanding = {
  /** This is the reason why no further order pays the recipient, or null. */
  readonly refusal: string | null
  /**
   * This is false if the owner or the app has used up its limit: only recipients that cannot reject are paid then. Orders are not refused
   * altogether, because anyone can name an owner or an app.
   */
  readonly isTrusted: boolean
}

export type FailedPayout = PayoutParties & {
  readonly orderId: string
  readonly weight: number
  /** A solver knows which service gave the order. */
  readonly service: string
}

/** `orderId` names an existing order, whose own failures do not count against it. */
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
