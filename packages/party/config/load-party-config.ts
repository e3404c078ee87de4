/** Reads a configuration file of the service or of a solver. */
import { type ConfigUse, checkConfig, type LoadedConfig, readConfigFile } from './load-config.ts'
import { type PartyConfig, ServiceConfig, SolverConfig } from './schema.ts'

export type LoadedParty = {
  readonly given:
    | { readonly party: 'service'; readonly config: ServiceConfig }
    | { readonly party: 'solver'; readonly config: SolverConfig }
  readonly rows: LoadedConfig<PartyConfig>['rows']
  readonly readSecret: LoadedConfig<PartyConfig>['readSecret']
}

/** Only a solver's file has `solver_id`. */
export async function loadPartyConfig(path: string, use: ConfigUse = 'chains'): Promise<LoadedParty> {
  const parsed = await readConfigFile(path)
  if (typeof parsed === 'object' && parsed !== null && 'solver_id' in parsed) {
    const { config, rows, readSecret } = await checkConfig(SolverConfig, path, parsed, use)
    return { given: { party: 'solver', config }, rows, readSecret }
  }
  const { config, rows, readSecret } = await checkConfig(ServiceConfig, path, parsed, use)
  return { given: { party: 'service', config }, rows, readSecret }
}
