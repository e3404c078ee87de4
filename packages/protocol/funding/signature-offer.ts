/** Offers what a user may sign so that an order is funded without gas, and without an approval before it. */
import { type Static, Type } from 'typebox'

/** `offer` is named again with the signatures. Each of `typedData` is signed, in this order. */
export type SignatureOffer = {
  readonly offer: string
  readonly typedData: readonly Readonly<Record<string, unknown>>[]
}

export const SignatureOfferRecord = Type.Object(
  {
    offer: Type.String({
      description: 'how the money moves: authorization (EIP-3009), permit (EIP-2612), permit2, or outside-execution-v2 and -v1 (SNIP-9)',
    }),
    typed_data: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description:
        'each for eth_signTypedData_v4, or for signMessage (SNIP-12) of an account that is a contract, in this order. A permit is signed beside the terms of the order, all others are one',
    }),
  },
  { title: 'SignatureOffer' },
)

export function signatureOfferToWire({ offer, typedData }: SignatureOffer): Static<typeof SignatureOfferRecord> {
  return { offer, typed_data: typedData.map((data) => ({ ...data })) }
}
