/** An amount decides how many confirmations it needs. */
import type { Asset } from './asset.ts'
import type { Chain } from './chain.ts'
import type { Leg } from './order.ts'

/**
 * The result is never 0. A destination never waits longer than `chain.requiredConfirmations`, even in a higher tier: its short timelock runs meanwhile, and the
 * remaining time must suffice to show the secret safely. A source timelock is long enough to wait.
 */
export function requiredConfirmations(chain: Chain, asset: Pick<Asset, 'confirmationTiers'>, amount: bigint, leg: Leg): number {
  const tier = asset.confirmationTiers?.findLast(({ from }) => amount >= from)
  const wanted = Math.max(tier?.confirmations ?? chain.requiredConfirmations, 1)
  return leg === 'destination' ? Math.min(wanted, chain.requiredConfirmations) : wanted
}
