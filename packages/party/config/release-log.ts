/** Where a party logs what it has signed, outside of its database. */
import type { PartyConfig } from './schema.ts'

/** Relative to the configuration file. Only a solver has a `solver_id`. */
export function releaseLogOf(config: Pick<PartyConfig, 'release_log'> & { readonly solver_id?: string }): string {
  return config.release_log ?? `releases-${encodeURIComponent(config.solver_id ?? 'service')}.log`
}
