/** Lists the panics of the contract as short strings, like src/errors.cairo. */
export const htlcErrors = {
  zeroToken: 'HTLC: zero token',
  zeroInitiator: 'HTLC: zero initiator',
  zeroRedeemer: 'HTLC: zero redeemer',
  sameParties: 'HTLC: same parties',
  partyIsContract: 'HTLC: party is the contract',
  invalidTimelock: 'HTLC: invalid timelock',
  zeroAmount: 'HTLC: zero amount',
  duplicateOrder: 'HTLC: duplicate order',
  orderNotInitiated: 'HTLC: order not initiated',
  orderSettled: 'HTLC: order settled',
  orderNotExpired: 'HTLC: order not expired',
  invalidSignature: 'HTLC: invalid signature',
  transferFailed: 'HTLC: transfer failed',
  amountNotReceived: 'HTLC: amount not received',
  reentrantInitiation: 'HTLC: reentrant initiation',
} as const

export type HtlcError = (typeof htlcErrors)[keyof typeof htlcErrors]
