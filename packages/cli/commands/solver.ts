/** `tandem solver` runs a solver alone, from its configuration file. */
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { SolverConfig } from '@tandem/party/config/schema.ts'
import { startSolver } from '@tandem/solver/main.ts'
import { type RunOptions, runWithConfig } from './run-with-config.ts'

export function runSolver(options: RunOptions): Promise<void> {
  return runWithConfig('solver', (path) => loadConfig(SolverConfig, path), startSolver, options)
}
