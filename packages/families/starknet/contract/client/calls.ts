// Encodes calls of the contract and of its token, in the form of transactions and `starknet_call`.
import { type Felt, felt, selectorOf } from './felt.ts'
import { type OrderTerms, u128Felt, u256Felts, wordFelts } from './order.ts'

export interface Call {
  readonly to: Felt
  readonly selector: Felt
  readonly calldata: readonly Felt[]
}

export const selectors = {
  initiate: selectorOf('initiate'),
  initiateOnBehalf: selectorOf('initiate_on_behalf'),
  initiateWithSignature: selectorOf('initiate_with_signature'),
  redeem: selectorOf('redeem'),
  refund: selectorOf('refund'),
  instantRefund: selectorOf('instant_refund'),
  token: selectorOf('token'),
  orderId: selectorOf('order_id'),
  initiatedAt: selectorOf('initiated_at'),
  domainName: selectorOf('domain_name'),
} as const

const approveSelector = selectorOf('approve')
const transferSelector = selectorOf('transfer')

export function approveCall(token: Felt, htlc: Felt, amount: bigint): Call {
  return { to: token, selector: approveSelector, calldata: [htlc, ...u256Felts(amount)] }
}

export function transferCall(token: Felt, recipient: Felt, amount: bigint): Call {
  return { to: token, selector: transferSelector, calldata: [recipient, ...u256Felts(amount)] }
}

/** The account that sends the call pays, and must be the initiator of the terms. */
export function initiateCall(htlc: Felt, { redeemer, timelock, amount, secretHash }: OrderTerms): Call {
  const calldata = [redeemer, u128Felt(timelock), ...u256Felts(amount), ...wordFelts(secretHash)]
  return { to: htlc, selector: selectors.initiate, calldata }
}

/** The account that sends the call pays. A refund goes to the initiator. */
export function initiateOnBehalfCall(htlc: Felt, terms: OrderTerms): Call {
  return { to: htlc, selector: selectors.initiateOnBehalf, calldata: orderFelts(terms, terms.secretHash) }
}

/** The initiator pays, and anyone may send the call. */
export function initiateWithSignatureCall(htlc: Felt, terms: OrderTerms, signature: readonly Felt[]): Call {
  const calldata = [...orderFelts(terms, terms.secretHash), ...arrayFelts(signature)]
  return { to: htlc, selector: selectors.initiateWithSignature, calldata }
}

export function redeemCall(htlc: Felt, terms: OrderTerms, secret: string): Call {
  return { to: htlc, selector: selectors.redeem, calldata: orderFelts(terms, secret) }
}

export function refundCall(htlc: Felt, terms: OrderTerms): Call {
  return { to: htlc, selector: selectors.refund, calldata: orderFelts(terms, terms.secretHash) }
}

export function instantRefundCall(htlc: Felt, terms: OrderTerms, signature: readonly Felt[]): Call {
  const calldata = [...orderFelts(terms, terms.secretHash), ...arrayFelts(signature)]
  return { to: htlc, selector: selectors.instantRefund, calldata }
}

export function tokenCall(htlc: Felt): Call {
  return { to: htlc, selector: selectors.token, calldata: [] }
}

/** The answer is one felt: see `orderMarks`. */
export function initiatedAtCall(htlc: Felt, order: Felt): Call {
  return { to: htlc, selector: selectors.initiatedAt, calldata: [order] }
}

export function domainNameCall(htlc: Felt): Call {
  return { to: htlc, selector: selectors.domainName, calldata: [] }
}

function orderFelts({ initiator, redeemer, timelock, amount }: OrderTerms, secretOrHash: string): readonly Felt[] {
  return [initiator, redeemer, u128Felt(timelock), ...u256Felts(amount), ...wordFelts(secretOrHash)]
}

function arrayFelts(items: readonly Felt[]): readonly Felt[] {
  return [felt(BigInt(items.length)), ...items]
}
