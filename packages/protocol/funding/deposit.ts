/** The user sends an amount to the address of the HTLC, with any wallet. */
import { Type } from 'typebox'
import { defineWay, RefundPackage } from './way.ts'

type Deposit = { readonly to: string; readonly amount: bigint }

const fields = {
  to: Type.String({ description: 'the address of the HTLC: pay it with any wallet' }),
  amount: Type.String({ description: 'in the smallest unit' }),
  refund_package: Type.Optional(RefundPackage),
}

export const deposit = defineWay('FundByDeposit', fields, ({ to, amount }: Deposit, once) => {
  const refundPackage = once?.refundPackage ?? null
  return { to, amount: amount.toString(), ...(refundPackage !== null && { refund_package: { ...refundPackage } }) }
})
