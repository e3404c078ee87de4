/** The result of POST /orders: what the user must sign or send, one variant for each way of funding. */
import { type Static, Type } from 'typebox'

const Transaction = Type.Object({
  chain_id: Type.Integer({ description: 'where it is to be sent' }),
  to: Type.String(),
  data: Type.String({ description: 'call data, hex' }),
  value: Type.String({ description: 'in the smallest unit of the native coin: hex on EVM chains, decimal on Tron' }),
  gas_limit: Type.String({ description: 'ample; written as `value` is' }),
})

const common = {
  order_id: Type.String(),
  /** Shown once, by the call that made the order: it proves the right to name the first refund address. */
  order_token: Type.Optional(Type.String()),
}

const RefundPackage = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'All that `tandem refund --package` needs to take a deposit back after its timelock without this service: the terms, the script tree, and the private key of this order unless it is yours. Shown this once: keep it in a file, and keep that secret.',
})

const DepositResult = Type.Object({
  ...common,
  to: Type.String(),
  amount: Type.String(),
  refund_package: Type.Optional(RefundPackage),
})

const CallsResult = Type.Object({
  ...common,
  core_to_evm_transfer: Type.Optional(
    Type.Object(Transaction.properties, {
      description: 'to be sent first of all: brings the money to where the other transactions find it',
    }),
  ),
  approval_reset_transaction: Type.Optional(
    Type.Object(Transaction.properties, {
      description:
        'to be sent before `approval_transaction`: the token changes no allowance but to and from zero, and a smaller one is left',
    }),
  ),
  approval_transaction: Type.Union([Transaction, Type.Null()], {
    description:
      "to be sent by the payer, who is the delegate where the order has one: lets the HTLC take the order's amount, or any amount where the app is set so. Null when the allowance is enough, and where none is needed",
  }),
  initiate_transaction: Type.Object(Transaction.properties, {
    description: 'sent by the payer, it funds the order; with a delegate it does so on behalf of the owner, who gets what is refunded',
  }),
  reclaim_transaction: Type.Optional(
    Type.Object(Transaction.properties, {
      description:
        'brings back to the owner what was paid too late, too little, or twice to the address in `initiate_transaction`: by anyone once the order is initiated or past its deadline, by the owner at any time. The service sends it by itself when something is there',
    }),
  ),
  typed_data: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
    description:
      'for eth_signTypedData_v4: signed by the owner and given to PATCH `?action=initiate`, it funds the order without gas. Null where that is not supported',
  }),
})

export const CreateOrderResult = Type.Union([DepositResult, CallsResult])
export type CreateOrderResult = Static<typeof CreateOrderResult>

type Call = {
  readonly chainId: number
  readonly to: string
  readonly data: string
  readonly value: bigint
  readonly gasLimit: bigint
}

/** What chain families answer. Stated here too because a wire format knows no chain. */
type FundingInstructions =
  | { readonly kind: 'deposit'; readonly to: string; readonly amount: bigint }
  | {
      readonly kind: 'calls'
      readonly numbers: 'hex' | 'decimal'
      readonly coreToEvmTransfer?: Call
      readonly approvalReset?: Call
      readonly approval: Call | null
      readonly initiate: Call
      readonly reclaim?: Call
      readonly typedData: Readonly<Record<string, unknown>> | null
    }

/** What only the first answer holds. */
export type ToldOnce = {
  readonly orderToken: string
  /** Null where the user refunds with their own wallet. */
  readonly refundPackage: Readonly<Record<string, unknown>> | null
}

/** `once` is null for every answer but the first. */
export function fundingToWire(orderId: string, once: ToldOnce | null, funding: FundingInstructions): CreateOrderResult {
  const ids = { order_id: orderId, ...(once !== null && { order_token: once.orderToken }) }
  if (funding.kind === 'deposit') {
    const refundPackage = once?.refundPackage ?? null
    return {
      ...ids,
      to: funding.to,
      amount: funding.amount.toString(),
      ...(refundPackage !== null && { refund_package: { ...refundPackage } }),
    }
  }
  const { numbers, coreToEvmTransfer, approvalReset, approval, initiate, reclaim, typedData } = funding
  return {
    ...ids,
    ...(coreToEvmTransfer !== undefined && { core_to_evm_transfer: callToWire(coreToEvmTransfer, numbers) }),
    ...(approvalReset !== undefined && { approval_reset_transaction: callToWire(approvalReset, numbers) }),
    approval_transaction: approval === null ? null : callToWire(approval, numbers),
    initiate_transaction: callToWire(initiate, numbers),
    ...(reclaim !== undefined && { reclaim_transaction: callToWire(reclaim, numbers) }),
    typed_data: typedData === null ? null : { ...typedData },
  }
}

function callToWire(call: Call, numbers: 'hex' | 'decimal'): Static<typeof Transaction> {
  const write = (value: bigint) => (numbers === 'hex' ? `0x${value.toString(16)}` : value.toString())
  return { chain_id: call.chainId, to: call.to, data: call.data, value: write(call.value), gas_limit: write(call.gasLimit) }
}
