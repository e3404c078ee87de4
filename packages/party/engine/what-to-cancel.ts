/** Tells what remains of an initiation that is not wanted any more. */
import type { Leg } from '@tandem/protocol/order.ts'
import { isOwed } from '@tandem/protocol/playbook.ts'
import type { OrderState } from '@tandem/protocol/state.ts'

/** 'owed' is mined below the required confirmations, or belongs to the redeemer by the secret. Only 'unmined' is cancelled. */
export function whatToCancel(state: OrderState, leg: Leg): 'unmined' | 'owed' | 'confirmed' {
  const required = BigInt(state.order[leg].requiredConfirmations)
  const mined = state[leg].counted.filter((deposit) => deposit.block !== null)
  if (mined.some((deposit) => deposit.confirmations >= required)) return 'confirmed'
  return mined.length > 0 || isOwed(state, leg) ? 'owed' : 'unmined'
}
