/** Verifies parties, delegate and swap id of one side of an order, on chains with accounts. */
import { verifyParsed, verifySame, verifyThat } from './check.ts'
import type { SwapSide } from './family.ts'

type Own = {
  /** Throws for a text that has no canonical form. */
  readonly parse: (text: string) => string
  /** This account pays in the user's place. Null means that the user pays. */
  readonly payer: string | null
  readonly swapId: () => string
}

/** The user must have the right role, and the solver must be another account: nobody can redeem from the zero address, or from the user's. */
export function verifySwap({ leg, owner, record }: SwapSide, { parse, payer, swapId }: Own): void {
  const field = (name: string) => `${leg}_swap.${name}`
  const [role, other] = leg === 'source' ? (['initiator', 'redeemer'] as const) : (['redeemer', 'initiator'] as const)
  const user = parse(owner ?? '')
  verifySame(field(role), user, record[role])
  const solver = verifyParsed(field(other), 'an account', record[other], parse)
  verifySame(field(other), solver, record[other])
  verifyThat(solver !== user, field(other), 'an account other than the user’s', solver)
  verifySame(field('delegate'), payer === null ? undefined : parse(payer), record.delegate)
  verifySame(field('swap_id'), swapId(), record.swap_id)
}
