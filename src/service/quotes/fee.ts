/** The fees of the service and of affiliates. Solvers add them to their own fee, collect them and owe them to the service. */
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

/** The amount owed to each affiliate, in the source asset. Rounded down: never more than was collected. */
export function affiliateFees(shares: readonly AffiliateShare[], source: Asset, sourceAmount: bigint): readonly AffiliateFee[] {
  return shares.map(({ address, feeBips }) => ({
    address,
    asset: source.id,
    feeBips,
    amount: ((sourceAmount * BigInt(feeBips)) / BIPS).toString(),
  }))
}

/** The least amount that the user accepts after slippage. Rounded up, in the user's favour. */
export function leastAfterSlippage(amount: bigint, slippageBips: number): bigint {
  return divideRoundingUp(amount * (BIPS - BigInt(slippageBips)), BIPS)
}
