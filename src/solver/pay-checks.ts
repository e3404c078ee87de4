/** Reasons of the solver not to pay for a funded order, although the playbook allows it: price, halts, caps, inventory, the payout. */
import type { OrderState } from '../protocol/state.ts'

/** A text: the solver does not pay for this order. Null: nothing is wrong. Throws while it is undecided. */
export type PayCheck = (state: OrderState) => Promise<string | null>

/** The first reason in the order of the list; null: it pays. Throws if none says no and one is undecided. */
export async function whyNotPay(checks: readonly PayCheck[], state: OrderState): Promise<string | null> {
  const results = await Promise.allSettled(checks.map(async (check) => check(state)))
  for (const result of results) if (result.status === 'fulfilled' && result.value !== null) return result.value
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return null
}
