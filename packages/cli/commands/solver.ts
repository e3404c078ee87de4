/** `tandem solver` runs a solver alone, from its configuration file. */
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { SolverConfig } from '@tandem/party/config/schema.ts'
import { chooseLogLevel, createLogger } from '@tandem/runtime/log.ts'
import { startSolver } from '@tandem/solver/main.ts'
import { runUntilStopped } from './run-until-stopped.ts'

export async function runSolver(options: { readonly config: string; readonly quiet?: boolean; readonly logLevel?: string }): Promise<void> {
  const log = createLogger({ name: 'solver' })
  await runUntilStopped(log, async () => {
    const loaded = await loadConfig(SolverConfig, options.config)
    log.level = chooseLogLevel(options.logLevel ?? (options.quiet ? 'warn' : undefined), loaded.config.log_level)
    const solver = await startSolver(loaded, log)
    for (const warning of loaded.secretWarnings()) log.warn(warning)
    log.info({ url: solver.url }, 'solver is running')
    return solver
  })
}
