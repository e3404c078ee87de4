/** The escrow is described as an HTLC, as an ABI does elsewhere. Words in <> are the terms. */
const escrow = {
  swap_id: 'SHA-256 of the terms, in lower-case hex. The chain does not know it: parties find the escrow by its fields',
  initiate: {
    TransactionType: 'EscrowCreate',
    Account: '<initiator>',
    Destination: '<redeemer>: the account of its address',
    DestinationTag: '<redeemer>: the tag of its X-address; absent without one',
    Amount: '<amount> in drops, as text',
    Condition: 'A0258020<secret_hash>810120: PREIMAGE-SHA-256 of 32 bytes',
    CancelAfter: 'seconds since 2000. By POST /orders: the deadline of the order plus <timelock>',
    absent: ['FinishAfter'],
  },
  redeem: {
    TransactionType: 'EscrowFinish',
    Owner: '<initiator>',
    OfferSequence: 'the sequence, or ticket, of the EscrowCreate',
    Condition: 'as in the EscrowCreate',
    Fulfillment: 'A0228020<secret>',
    by: 'anyone, in a ledger whose parent closed at CancelAfter or before',
  },
  refund: {
    TransactionType: 'EscrowCancel',
    Owner: '<initiator>',
    OfferSequence: 'the sequence, or ticket, of the EscrowCreate',
    by: 'anyone, in a ledger whose parent closed after CancelAfter',
  },
} as const

export const schemas = { 'xrpl:escrow': escrow }
