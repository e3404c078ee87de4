/** Funding by contract calls on a chain with account nonces and gas, or by signed typed data that the service sends. */
import { type Static, Type } from 'typebox'
import { type SignatureOffer, SignatureOfferRecord, signatureOfferToWire } from './signature-offer.ts'
import { defineWay } from './way.ts'

export type Call = {
  readonly chainId: number
  readonly to: string
  readonly data: string
  /** The value is in the smallest unit of the native coin. */
  readonly value: bigint
  readonly gasLimit: bigint
}

export type Calls = {
  /** Wallets of this chain expect numbers in this notation. */
  readonly numbers: 'hex' | 'decimal'
  /** This call is sent first. It moves the money to the account from which the other calls, or a signature over `typedData`, spend. */
  readonly transfer?: Call
  readonly note?: string
  /** This call is sent before `approval`, for tokens that change an allowance only to and from zero. */
  readonly approvalReset?: Call
  /** This is null if the allowance is enough, or none is needed. */
  readonly approval: Call | null
  readonly initiate: Call
  /** This call returns all that `transfer` moved and no order has locked. The payer may send it at any time. */
  readonly reclaim?: Call
  /** If the initiator sends this before the order is initiated, the signature over `typedData` is worthless. It may be absent. */
  readonly revoke?: Call
  /** The user signs this to fund without gas. It is null if the family does not support that for this asset. */
  readonly typedData: Readonly<Record<string, unknown>> | null
  /** The user may sign one of these instead of `typedData`, without `approval`. The best one is first. */
  readonly offers?: readonly SignatureOffer[]
}

const Transaction = Type.Object(
  {
    chain_id: Type.Integer({ description: 'where it is to be sent' }),
    to: Type.String({ description: 'the account or contract that it goes to' }),
    data: Type.String({ description: 'call data, hex' }),
    value: Type.String({
      description: 'in the smallest unit of the native coin: hex with 0x, or decimal where wallets of the chain expect that',
    }),
    gas_limit: Type.String({ description: 'ample; written as `value` is' }),
  },
  { title: 'Transaction' },
)

export type TransactionRequest = Static<typeof Transaction>

const transaction = (description: string) => Type.Object(Transaction.properties, { title: 'Transaction', description })

const fields = {
  core_to_evm_transfer: Type.Optional(
    transaction(
      "to be sent first, by the payer: moves the money to the account that is the payer's own at the HTLC. Then the signature over `typed_data`, or `initiate_transaction`, funds the order; no approval is needed",
    ),
  ),
  transfer_note: Type.Optional(
    Type.String({
      description: "what to know before the transfer above is sent: a fee of the chain that comes out of the payer's account, once",
    }),
  ),
  approval_reset_transaction: Type.Optional(
    transaction(
      'to be sent before `approval_transaction`: the token changes an allowance only to and from zero, and a smaller one is left',
    ),
  ),
  approval_transaction: Type.Union([Transaction, Type.Null()], {
    description:
      "to be sent by the payer, who is the delegate where the order has one: lets the HTLC take the order's amount, or any amount where the app is set so. Null when the allowance is enough, and where none is needed",
  }),
  initiate_transaction: transaction(
    'sent by the payer, it funds the order; with a delegate it does so on behalf of the owner, who gets what is refunded',
  ),
  reclaim_transaction: Type.Optional(
    transaction(
      'sent by the payer at any time: returns all that was moved to the account of the payer at the HTLC and is not locked in an order. After `initiate_transaction` the service returns by itself what is left when the deadline has passed',
    ),
  ),
  revoke_transaction: Type.Optional(
    transaction(
      'withdraws the signature over `typed_data`, which has no deadline of its own: sent by the owner before the order is initiated, it makes the order impossible for ever and moves nothing. For an order that was signed for, then reverted, expired or was given up',
    ),
  ),
  typed_data: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
    description:
      'for eth_signTypedData_v4: signed by the owner and given to PATCH `?action=initiate`, it funds the order without gas. Null where that is not supported',
  }),
  signature_offers: Type.Optional(
    Type.Array(SignatureOfferRecord, {
      description:
        'while an approval is missing and the token can do without: what the owner may sign instead of `typed_data`, and needs no approval for. The best one is first. The signatures are given to PATCH `?action=initiate` with the name of the `offer`, and are good until the deadline of the order',
    }),
  ),
}

export const calls = defineWay('FundByCalls', fields, (funding: Calls) => {
  const { numbers, transfer, note, approvalReset, approval, initiate, reclaim, revoke, typedData, offers = [] } = funding
  return {
    ...(transfer !== undefined && { core_to_evm_transfer: callToWire(transfer, numbers) }),
    ...(note !== undefined && { transfer_note: note }),
    ...(approvalReset !== undefined && { approval_reset_transaction: callToWire(approvalReset, numbers) }),
    approval_transaction: approval === null ? null : callToWire(approval, numbers),
    initiate_transaction: callToWire(initiate, numbers),
    ...(reclaim !== undefined && { reclaim_transaction: callToWire(reclaim, numbers) }),
    ...(revoke !== undefined && { revoke_transaction: callToWire(revoke, numbers) }),
    typed_data: typedData === null ? null : { ...typedData },
    ...(offers.length > 0 && { signature_offers: offers.map(signatureOfferToWire) }),
  }
})

function callToWire(call: Call, numbers: Calls['numbers']): TransactionRequest {
  const write = (value: bigint) => (numbers === 'hex' ? `0x${value.toString(16)}` : value.toString())
  return { chain_id: call.chainId, to: call.to, data: call.data, value: write(call.value), gas_limit: write(call.gasLimit) }
}
