/** The user signs a whole transaction that is ready to be sent, or the same with the service as fee payer. It expires after about a minute. */
import { Type } from 'typebox'
import { defineWay } from './way.ts'

export type VersionedTransaction = {
  /** Base64, unsigned. The payer signs and sends it. */
  readonly transaction: string
  /** Base64, unsigned: the initiator signs it and gives it to the service. Null where the service does not pay the fee for this asset. */
  readonly gasless: string | null
}

const fields = {
  versioned_tx: Type.String({
    description:
      'a transaction of version 0, base64. Signed and sent by the payer, who is the delegate where the order has one, it funds the order. It expires after about a minute: GET `/orders/{order_id}/funding` returns a fresh one',
  }),
  versioned_tx_gasless: Type.Union([Type.String(), Type.Null()], {
    description:
      'the same with the service as fee payer: signed by the owner and given to PATCH `?action=initiate` as base64, it funds the order without a network fee. It expires as `versioned_tx` does. Null for the native coin, and where the service has no relay key',
  }),
}

export const versionedTransaction = defineWay('FundByVersionedTransaction', fields, ({ transaction, gasless }: VersionedTransaction) => ({
  versioned_tx: transaction,
  versioned_tx_gasless: gasless,
}))
