/** What is verified of both sides of an order on chains with accounts: parties, delegate and swap id. */

import { verifyParsed, verifySame, verifyThat } from './check.ts'
import type { SwapSide } from './family.ts'

type Own = {
  /** The canonical form of an account; throws for any other text. */
  readonly parse: (text: string) => string
  /** Who pays in the user's place; null: nobody. */
  readonly payer: string | null
  /** From the terms, once their parties are verified. */
  readonly swapId: () => string
}

/** The user is the party that they should be, and the solver is somebody else: nobody can redeem from the zero address, or from the user's. */
export function verifySwap({ leg, owner, told }: SwapSide, { parse, payer, swapId }: Own): void {
  const field = (name: string) => `${leg}_swap.${name}`
  const [role, other] = leg === 'source' ? (['initiator', 'redeemer'] as const) : (['redeemer', 'initiator'] as const)
  const user = parse(owner ?? '')
  verifySame(field(role), user, told[role])
  const solver = verifyParsed(field(other), 'an account', told[other], parse)
  verifySame(field(other), solver, told[other])
  verifyThat(solver !== user, field(other), 'an account other than the user’s', solver)
  verifySame(field('delegate'), payer === null ? undefined : parse(payer), told.delegate)
  verifySame(field('swap_id'), swapId(), told.swap_id)
}
