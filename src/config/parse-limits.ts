/** Parses the operator's minimum and maximum amounts. */
import type { Limits } from '../protocol/registry/limits.ts'
import type { PartyConfig } from './schema.ts'

export function parseLimits({ limits = {} }: Pick<PartyConfig, 'limits'>): Limits {
  return Object.fromEntries(
    Object.entries(limits).map(([asset, { min, max }]) => [
      asset,
      { ...(min !== undefined && { min: BigInt(min) }), ...(max !== undefined && { max: BigInt(max) }) },
    ]),
  )
}
