/** Parses the operator's minimum and maximum amounts, and its confirmations by amount. */
import type { OperatorTiers } from '@tandem/protocol/registry/confirmation-tiers.ts'
import type { Limits } from '@tandem/protocol/registry/limits.ts'
import type { PartyConfig } from './schema.ts'

export function parseLimits({ limits = {} }: Pick<PartyConfig, 'limits'>): Limits {
  return Object.fromEntries(
    Object.entries(limits).map(([asset, { min, max }]) => [
      asset,
      { ...(min !== undefined && { min: BigInt(min) }), ...(max !== undefined && { max: BigInt(max) }) },
    ]),
  )
}

export function parseConfirmations({ confirmations = {} }: Pick<PartyConfig, 'confirmations'>): OperatorTiers {
  return Object.fromEntries(
    Object.entries(confirmations).map(([asset, tiers]) => [
      asset,
      tiers.map((tier) => ({ from: BigInt(tier.from), confirmations: tier.confirmations })).sort((a, b) => (a.from < b.from ? -1 : 1)),
    ]),
  )
}
