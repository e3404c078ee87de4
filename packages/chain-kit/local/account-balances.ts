/** Initial balances of the parties and users on a chain with accounts. */
import type { Asset } from '@tandem/protocol/asset.ts'
import type { LocalBalances } from './local-chain.ts'

export function accountBalances({ decimals, maxAmount, tokenSchema }: Asset): LocalBalances {
  if (tokenSchema !== null) return { solver: 50n * maxAmount, solverPayments: 1, user: 2n * maxAmount, relay: 0n }
  const whole = 10n ** BigInt(decimals)
  return { solver: 1_000n * whole, solverPayments: 1, user: 100n * whole, relay: 100n * whole }
}
