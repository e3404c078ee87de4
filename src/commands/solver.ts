/** `tandem solver`: a solver alone, from its configuration file. */
import { loadConfig } from '../config/load-config.ts'
import { SolverConfig } from '../config/schema.ts'
import { createLogger } from '../log.ts'
import { startSolver } from '../solver/main.ts'
import { runUntilStopped } from './run-until-stopped.ts'

export async function runSolver(options: { readonly config: string; readonly quiet?: boolean }): Promise<void> {
  const log = createLogger({ name: 'solver', level: options.quiet ? 'warn' : 'info' })
  await runUntilStopped(log, async () => {
    const solver = await startSolver(await loadConfig(SolverConfig, options.config), log)
    log.info({ url: solver.url }, 'solver is running')
    return solver
  })
}
