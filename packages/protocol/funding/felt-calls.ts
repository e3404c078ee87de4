/** Funding by calls of the user's account whose arguments are field elements, or by signed typed data that the service sends. */
import { Type } from 'typebox'
import { type SignatureOffer, SignatureOfferRecord, signatureOfferToWire } from './signature-offer.ts'
import { defineWay } from './way.ts'

/** Field elements are hex with 0x. */
export type FeltCall = { readonly to: string; readonly selector: string; readonly calldata: readonly string[] }

export type FeltCalls = {
  /** If the allowance is enough, this approves what is allowed already. */
  readonly approval: FeltCall
  readonly approvalRequired: boolean
  readonly initiate: FeltCall
  /** The user signs this to fund without a fee. */
  readonly typedData: Readonly<Record<string, unknown>>
  /** The user may sign one of these instead of `typedData`, without `approval`. */
  readonly offers?: readonly SignatureOffer[]
}

const CallRequest = Type.Object(
  {
    to: Type.String({ description: 'the contract' }),
    selector: Type.String({ description: 'of the entry point, already hashed: libraries that take a name would hash it again' }),
    calldata: Type.Array(Type.String(), { description: 'field elements, hex with 0x' }),
  },
  { title: 'FeltCall' },
)

const fields = {
  approval_transaction: Type.Object(CallRequest.properties, {
    title: 'FeltCall',
    description:
      "executed by the account of the payer, who is the delegate where the order has one: lets the HTLC take the order's amount, or any amount where the app is set so. Clients may execute it blindly: if the allowance is enough, it approves what is allowed already, which changes nothing",
  }),
  approval_required: Type.Boolean({ description: 'false if the allowance is enough: then `approval_transaction` can be left out' }),
  initiate_transaction: Type.Object(CallRequest.properties, {
    title: 'FeltCall',
    description:
      'executed by the account of the payer, in the same transaction as the approval or in a later one, it funds the order; with a delegate it does so on behalf of the owner, who gets what is refunded',
  }),
  typed_data: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'for signMessage (SNIP-12): signed by the account of the owner and given to PATCH `?action=initiate`, it funds the order without a fee',
  }),
  signature_offers: Type.Optional(
    Type.Array(SignatureOfferRecord, {
      description:
        'while an approval is missing and the account of the owner takes outside executions (SNIP-9): what the owner may sign instead of `typed_data`, and needs no approval for, because the service sends approval and initiation in one transaction. The signature is given to PATCH `?action=initiate` with the name of the `offer`, and is good until the deadline of the order',
    }),
  ),
}

export const feltCalls = defineWay('FundByFeltCalls', fields, (funding: FeltCalls) => {
  const { approval, approvalRequired, initiate, typedData, offers = [] } = funding
  return {
    approval_transaction: callToWire(approval),
    approval_required: approvalRequired,
    initiate_transaction: callToWire(initiate),
    typed_data: { ...typedData },
    ...(offers.length > 0 && { signature_offers: offers.map(signatureOfferToWire) }),
  }
})

function callToWire({ to, selector, calldata }: FeltCall) {
  return { calldata: [...calldata], selector, to }
}
