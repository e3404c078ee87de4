/** What is left of an initiation that is no longer wanted. */
import type { Leg } from '@tandem/protocol/order.ts'
import { isOwed } from '@tandem/protocol/playbook.ts'
import type { OrderState } from '@tandem/protocol/state.ts'

/** Owed: mined but below the required confirmations; or the secret is out, and it belongs to the redeemer. Only an unmined one is cancelled. */
export function whatToCancel(state: OrderState, leg: Leg): 'unmined' | 'owed' | 'confirmed' {
  const required = BigInt(state.order[leg].requiredConfirmations)
  const mined = state[leg].counted.filter((deposit) => deposit.block !== null)
  if (mined.some((deposit) => deposit.confirmations >= required)) return 'confirmed'
  return mined.length > 0 || isOwed(state, leg) ? 'owed' : 'unmined'
}
