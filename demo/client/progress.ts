/** The statuses of an order that completes, in the order of progress. */
export const progress: readonly string[] = [
  'created',
  'initiate_detected',
  'initiated',
  'counterparty_initiate_detected',
  'counterparty_initiated',
  'redeem_detected',
  'redeemed',
  'counterparty_redeemed',
]
