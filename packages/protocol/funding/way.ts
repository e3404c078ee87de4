/** A way of funding has the instructions of a chain family, their fields in the result of POST /orders, and the conversion. */
import { type Static, type TObject, type TProperties, Type } from 'typebox'

export type Way<Instructions, Fields extends TProperties> = {
  readonly result: TObject<typeof commonFields & Fields>
  readonly toWire: (instructions: Instructions, orderId: string, once: ToldOnce | null) => CommonResult & Static<TObject<Fields>>
}

/** Only the first answer to POST /orders contains these values. */
export type ToldOnce = {
  readonly orderToken: string
  /** The package is null where the user refunds with their own wallet alone. */
  readonly refundPackage: Readonly<Record<string, unknown>> | null
}

const commonFields = {
  order_id: Type.String({ description: '64 hex characters' }),
  order_token: Type.Optional(
    Type.String({ description: 'proves the right to name the first refund address. Shown only once: keep it with the order' }),
  ),
}
type CommonResult = Static<TObject<typeof commonFields>>

export const RefundPackage = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'All that is needed to get the money back without this service. On chains whose HTLC is an address, for `tandem refund --package` after the timelock: the terms, the data to spend the deposit, and the private key of this order unless it is yours. At a deposit address, for the rescue page and the SDK: the terms and the deadline, from which the address follows, and no secret. Shown only once: save it to a file and keep that file secret.',
})

/** `title` is the name of the result in the API document. */
export function defineWay<Instructions, Fields extends TProperties>(
  title: string,
  fields: Fields,
  write: (instructions: Instructions, once: ToldOnce | null) => Static<TObject<Fields>>,
): Way<Instructions, Fields> {
  return {
    result: Type.Object({ ...commonFields, ...fields }, { title }),
    toWire: (instructions, orderId, once) => ({
      order_id: orderId,
      ...(once !== null && { order_token: once.orderToken }),
      ...write(instructions, once),
    }),
  }
}
