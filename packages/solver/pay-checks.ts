/** Reasons of the solver not to pay for a funded order, although the playbook allows it: price, halts, caps, inventory, the payout. */
import type { OrderState } from '@tandem/protocol/state.ts'
import type { DeclineCode } from '@tandem/protocol/wire/solver.ts'

/** A text: the solver does not pay for this order. Null: nothing is wrong. Throws while it is undecided. */
export type PayCheck = Check & {
  readonly code?: DeclineCode
  /** Asked even if a payment is on record, where there is no choice any more: a row that says so may be forged. */
  readonly onceSigned?: Check
}

type Check = (state: OrderState) => Promise<string | null>

export type PayRefusal = { readonly code: DeclineCode; readonly reason: string }

/** What the service is told if this check says no. */
export function coded(code: DeclineCode, check: PayCheck): PayCheck {
  const { onceSigned } = check
  return Object.assign((state: OrderState) => check(state), { code, ...(onceSigned !== undefined && { onceSigned }) })
}

/** What is left of the checks once a payment is on record. */
export function onceSigned(checks: readonly PayCheck[]): readonly PayCheck[] {
  return checks.flatMap((check) => check.onceSigned ?? [])
}

/** `second` is asked only if `first` has nothing against it: it counts on what the first one recorded. */
export function inTurn(first: PayCheck, second: PayCheck): PayCheck {
  return async (state) => (await first(state)) ?? second(state)
}

/** The first reason in the order of the list; null: it pays. Throws if none says no and one is undecided. */
export async function whyNotPay(checks: readonly PayCheck[], state: OrderState): Promise<PayRefusal | null> {
  const results = await Promise.allSettled(checks.map(async (check) => ({ code: check.code ?? 'other', reason: await check(state) })))
  for (const result of results)
    if (result.status === 'fulfilled' && result.value.reason !== null) return { code: result.value.code, reason: result.value.reason }
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return null
}
