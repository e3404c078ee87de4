/** What an initiation, redeem or refund costs now. Staked energy is charged too: it could have been lent. */
import type { LegCost } from '@tandem/chain-kit/port/abilities/leg-cost.ts'
import type { WalletApi } from '../nodes/wallet-api.ts'

/** With a plain token, twice: busy tokens are charged more for their part. */
const ENERGY = { initiate: 130_000n, redeem: 90_000n, refund: 90_000n } as const

/** Some 400 bytes at 1,000 sun, because free bandwidth lasts for two transactions a day. */
const BANDWIDTH_SUN = 400_000n

const DECIMALS = 6

export async function legCostOf(api: Pick<WalletApi, 'energyPrice'>): Promise<LegCost> {
  const price = await api.energyPrice()
  const costOf = (energy: bigint) => energy * price + BANDWIDTH_SUN
  return { decimals: DECIMALS, initiate: costOf(ENERGY.initiate), redeem: costOf(ENERGY.redeem), refund: costOf(ENERGY.refund) }
}
