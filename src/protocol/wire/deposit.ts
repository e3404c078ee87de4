/** What arrived at an HTLC that anyone may send anything to, each with its way to an end. */
import { type Static, Type } from 'typebox'
import { isGivenBack, isStray, type OrderState } from '../state.ts'
import type { Deposit } from '../swap-state.ts'

const depositStates = [
  'pending',
  'counted',
  'awaiting_refund',
  'redeem_detected',
  'redeemed',
  'refund_detected',
  'refunded',
  'uneconomic',
] as const
type DepositState = (typeof depositStates)[number]

export const DepositRecord = Type.Object({
  /** Its outpoint. */
  deposit: Type.String(),
  tx_hash: Type.String(),
  amount: Type.String(),
  block_number: Type.String(),
  confirmations: Type.Integer(),
  state: Type.Enum([...depositStates], {
    description:
      'pending: it may come to count. counted: it pays for the order. awaiting_refund: it goes back. uneconomic: smaller than what giving it back costs. The others say what was done with it',
  }),
  /** Of the redeem or refund; empty while there is none. */
  spend_tx_hash: Type.String(),
})
export type DepositRecord = Static<typeof DepositRecord>

/** `required`: confirmations above this are not counted, so that the record of a finished order does not change with every block. */
export function depositToWire(state: OrderState, deposit: Deposit, required: bigint): DepositRecord {
  return {
    deposit: deposit.id,
    tx_hash: deposit.tx,
    amount: deposit.amount.toString(),
    block_number: (deposit.block?.height ?? 0n).toString(),
    confirmations: Number(deposit.confirmations < required ? deposit.confirmations : required),
    state: deriveState(state, deposit),
    spend_tx_hash: deposit.spend?.tx ?? '',
  }
}

function deriveState(state: OrderState, deposit: Deposit): DepositState {
  const { spend } = deposit
  if (spend !== null && spend.block !== null) return spend.kind
  if (spend !== null) return spend.kind === 'redeemed' ? 'redeem_detected' : 'refund_detected'
  if (deposit.writtenOff) return 'uneconomic'
  if (isStray(state, deposit.id) || isGivenBack(state) || state.status === 'awaiting_refund') return 'awaiting_refund'
  if (state.isAgreed && state.source.counted.includes(deposit)) return 'counted'
  return isOver(state) ? 'awaiting_refund' : 'pending'
}

/** The order took another way, or its end, without this one. */
function isOver({ status }: OrderState): boolean {
  return ['redeem_detected', 'redeemed', 'counterparty_redeemed', 'refund_detected', 'refunded'].includes(status)
}
