/** Runs the solver's own checks before it pays, in addition to the playbook: price, halts, caps, inventory, the recipient. */
import type { OrderState } from '@tandem/protocol/state.ts'
import type { DeclineCode } from '@tandem/protocol/wire/solver.ts'

/** Returns the reason why the solver does not pay for this order, or null. Throws while it is undecided. */
export type PayCheck = Check & {
  readonly code?: DeclineCode
  /** This check also runs if a payment is on record and the solver must go on: the row that says so may be forged. */
  readonly onceSigned?: Check
}

type Check = (state: OrderState) => Promise<string | null>

export type PayRefusal = { readonly code: DeclineCode; readonly reason: string }

export function coded(code: DeclineCode, check: PayCheck): PayCheck {
  const { onceSigned } = check
  return Object.assign((state: OrderState) => check(state), { code, ...(onceSigned !== undefined && { onceSigned }) })
}

export function onceSigned(checks: readonly PayCheck[]): readonly PayCheck[] {
  return checks.flatMap((check) => check.onceSigned ?? [])
}

/** `second` runs only if `first` has no objection: it relies on what the first one recorded. */
export function inSequence(first: PayCheck, second: PayCheck): PayCheck {
  return async (state) => (await first(state)) ?? second(state)
}

/** Returns the first refusal in the order of the list; null if the solver pays. Throws if no check refuses and one is undecided. */
export async function whyNotPay(checks: readonly PayCheck[], state: OrderState): Promise<PayRefusal | null> {
  const results = await Promise.allSettled(checks.map(async (check) => ({ code: check.code ?? 'other', reason: await check(state) })))
  for (const result of results)
    if (result.status === 'fulfilled' && result.value.reason !== null) return { code: result.value.code, reason: result.value.reason }
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return null
}
