/** The fees of the service and of affiliates. Solvers add them to their own fee, collect them and owe them to the service. */
import { TandemError } from '@tandem/protocol/error.ts'
import type { ServiceSettings } from '../context.ts'

export function extraFeeBips(settings: ServiceSettings, affiliateFeeBips: number, field: string): number {
  if (affiliateFeeBips > settings.maxAffiliateFeeBips) {
    throw new TandemError('bad_request', `${field} must be at most ${settings.maxAffiliateFeeBips} bips in all, got ${affiliateFeeBips}`)
  }
  return settings.serviceFeeBips + affiliateFeeBips
}
