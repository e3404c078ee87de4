/** What the user agreed to get. The phrase does not know it, and chains do not tell it: the caller says it, from the user's own notes. */
import { verifyThat } from '@tandem/chain-kit/browser/check.ts'

/**
 * The hash of a secret is public, so anybody can pay a little to it, the solver first of all. Who redeems that shows the secret, and the solver takes the
 * user's whole payment. So nothing is shown without an amount, and 0 is none.
 */
export function verifyAgreed(amount: bigint, minToAmount: bigint | undefined): void {
  if (minToAmount === undefined || minToAmount <= 0n)
    throw new Error('say in minToAmount what you agreed to get, in the smallest unit and more than 0: only then the secret is shown')
  verifyThat(amount >= minToAmount, 'lock.amount', `at least ${minToAmount}`, amount.toString())
}
