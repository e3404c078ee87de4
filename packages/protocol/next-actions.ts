/** The possible next actions of an order are explained here for integrators. */
export const nextActionMeanings = {
  initiate_source: 'pay the source as POST /orders said',
  complete_source_deposit: 'pay the missing part of the source, which was underpaid',
  initiate_destination: 'the solver locks the destination',
  reveal_secret: 'PATCH `?action=redeem` with the secret of `secret_hash`',
  redeem_destination: 'the destination is paid out',
  redeem_source: 'the solver takes the source with the secret',
  give_refund_address: 'PATCH `?action=refund` with `address`, to which the source is refunded',
  refund_source: 'the source is refunded',
  revoke_signature: 'the order is over: send `revoke_transaction` of GET /orders/{id}/funding to withdraw the signature over `typed_data`',
  reclaim_deposit: 'money that was paid too late, too little or twice is returned',
} as const

export type NextActionName = keyof typeof nextActionMeanings
export const nextActionNames = Object.keys(nextActionMeanings) as readonly NextActionName[]
