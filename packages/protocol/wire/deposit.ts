/** This is the record of one deposit of an HTLC to which anyone may send any amount. */
import { type Static, Type } from 'typebox'
import { hasSignedInstantRefund, isStray, type OrderState } from '../state.ts'
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

export const DepositRecord = Type.Object(
  {
    deposit: Type.String({ description: 'the id of the deposit, in the form of its chain' }),
    tx_hash: Type.String({ description: 'the transaction that made it' }),
    amount: Type.String({ description: 'in the smallest unit' }),
    block_number: Type.String({ description: 'its block; 0 while it is not mined' }),
    confirmations: Type.Integer({ description: 'at most the `required_confirmations` of the swap' }),
    state: Type.Enum([...depositStates], {
      description:
        'pending: it may still count. counted: it pays for the order. awaiting_refund: it will be refunded. uneconomic: smaller than its refund fee. The others name its redeem or refund',
    }),
    spend_tx_hash: Type.String({ description: 'its redeem or refund; empty while there is none' }),
  },
  { title: 'Deposit' },
)
export type DepositRecord = Static<typeof DepositRecord>

/** Confirmations above `required` are not counted, so that the record of a finished order does not change with every block. */
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
  if (isStray(state, deposit.id) || hasSignedInstantRefund(state) || state.status === 'awaiting_refund') return 'awaiting_refund'
  if (state.isAgreed && state.source.counted.includes(deposit)) return 'counted'
  return isOver(state) ? 'awaiting_refund' : 'pending'
}

/** The order was redeemed or refunded without this deposit. */
function isOver({ status }: OrderState): boolean {
  return ['redeem_detected', 'redeemed', 'counterparty_redeemed', 'refund_detected', 'refunded'].includes(status)
}
