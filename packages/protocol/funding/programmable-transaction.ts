/** The user's wallet adds sender and gas to a transaction kind, signs it and sends it. */
import { Type } from 'typebox'
import { defineWay } from './way.ts'

export type ProgrammableTransaction = {
  /** BCS of a TransactionKind: the commands with their inputs, without sender and gas. */
  readonly bytes: Uint8Array
}

const fields = {
  ptb_bytes: Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), {
    description:
      'the BCS bytes of a transaction kind, for `Transaction.fromKind(new Uint8Array(ptb_bytes))`. With sender, gas price and gas budget set, signed and executed by the payer, who is the delegate where the order has one, it funds the order. Coins that it names may be spent meanwhile: GET `/orders/{order_id}/funding` returns fresh ones',
  }),
}

export const programmableTransaction = defineWay('FundByProgrammableTransaction', fields, ({ bytes }: ProgrammableTransaction) => ({
  ptb_bytes: [...bytes],
}))
