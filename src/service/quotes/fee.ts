/** Fees that solvers add to their own: the service's and the affiliates'. The solver collects them and owes them to us. */
import { divideRoundingUp } from '../../protocol/amount.ts'
import type { Asset } from '../../protocol/asset.ts'
import { TandemError } from '../../protocol/error.ts'
import type { AffiliateFee } from '../../protocol/order.ts'
import type { ServiceSettings } from '../context.ts'

const BIPS = 10_000n

export type AffiliateShare = { readonly address: string; readonly feeBips: number }

export function extraFeeBips(settings: ServiceSettings, affiliateFeeBips: number, field: string): number {
  if (affiliateFeeBips > settings.maxAffiliateFeeBips) {
    throw new TandemError('bad_request', `${field} must be at most ${settings.maxAffiliateFeeBips} bips in all, got ${affiliateFeeBips}`)
  }
  return settings.serviceFeeBips + affiliateFeeBips
}

/** What each affiliate is owed, in the asset that the fee is taken from. Rounded down: never more than was taken. */
export function affiliateFees(shares: readonly AffiliateShare[], source: Asset, sourceAmount: bigint): readonly AffiliateFee[] {
  return shares.map(({ address, feeBips }) => ({
    address,
    asset: source.id,
    feeBips,
    amount: ((sourceAmount * BigInt(feeBips)) / BIPS).toString(),
  }))
}

/** The least that a price may have moved to: rounded up, in the user's favour. */
export function leastAfterSlippage(amount: bigint, slippageBips: number): bigint {
  return divideRoundingUp(amount * (BIPS - BigInt(slippageBips)), BIPS)
}
