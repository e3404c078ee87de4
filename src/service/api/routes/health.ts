/** /livez and /readyz, for whoever keeps the process running. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { TandemError } from '../../../protocol/error.ts'
import { success } from '../../../protocol/wire/envelope.ts'
import type { ServiceContext } from '../../context.ts'

const DATABASE_WAIT_MS = 2000

export function healthRoutes(context: ServiceContext): FastifyPluginAsyncTypebox {
  return async (api) => {
    api.get('/livez', async () => success('alive'))

    api.get('/readyz', async () => {
      if (!(await databaseAnswers(context))) throw new TandemError('chain_unavailable', 'the database does not answer')
      if (!context.registry.chains.some((chain) => context.chainHealthy(chain.id)))
        throw new TandemError('chain_unavailable', 'no chain can be reached')
      return success('ready')
    })
  }
}

async function databaseAnswers({ db, log }: ServiceContext): Promise<boolean> {
  const asked = db
    .selectFrom('migrations')
    .select('name')
    .limit(1)
    .execute()
    .then(
      () => true,
      (error: unknown) => {
        log.warn({ err: error }, 'the database does not answer')
        return false
      },
    )
  return Promise.race([asked, sleep(DATABASE_WAIT_MS, false, { ref: false })])
}
