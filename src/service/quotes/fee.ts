/** The fees of the service and of affiliates. Solvers add them to their own fee, collect them and owe them to the service. */
import { divideRoundingUp } from '../../protocol/amount.ts'
import { TandemError } from '../../protocol/error.ts'
import type { ServiceSettings } from '../context.ts'

const BIPS = 10_000n

export function extraFeeBips(settings: ServiceSettings, affiliateFeeBips: number, field: string): number {
  if (affiliateFeeBips > settings.maxAffiliateFeeBips) {
    throw new TandemError('bad_request', `${field} must be at most ${settings.maxAffiliateFeeBips} bips in all, got ${affiliateFeeBips}`)
  }
  return settings.serviceFeeBips + affiliateFeeBips
}

/** The least amount that the user accepts after slippage. Rounded up, in the user's favour. */
export function leastAfterSlippage(amount: bigint, slippageBips: number): bigint {
  return divideRoundingUp(amount * (BIPS - BigInt(slippageBips)), BIPS)
}
