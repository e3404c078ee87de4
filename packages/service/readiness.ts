/** A process is ready if the database can be written, an engine lives, and at least one chain answers. */

import { createDatabaseCheck } from '@tandem/party/store/database/database-problem.ts'
import type { ServiceContext } from './context.ts'

type ReadinessContext = Pick<ServiceContext, 'db' | 'log' | 'registry' | 'chainHealthy' | 'engineProblem'>

/** The check resolves to null if the process is ready, else to the reason. */
export function createReadiness(context: ReadinessContext): () => Promise<string | null> {
  const databaseProblem = createDatabaseCheck(context)
  return async () => {
    const problem = (await databaseProblem()) ?? context.engineProblem()
    if (problem !== null) return problem
    return context.registry.chains.some(({ id }) => context.chainHealthy(id)) ? null : 'no chain can be reached'
  }
}
