/** The routes GET /liquidity and GET /health. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { createDatabaseCheck } from '@tandem/party/store/database/database-problem.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { Envelope, success } from '@tandem/protocol/wire/envelope.ts'
import { LiquidityRecord } from '@tandem/protocol/wire/liquidity.ts'
import { Type } from 'typebox'
import type { ServiceContext } from '../../context.ts'
import { createSolverStatus } from '../../solver-status.ts'
import { gzip } from '../compression.ts'

export function solverRoutes(context: ServiceContext): FastifyPluginAsyncTypebox {
  const status = createSolverStatus(context)

  const databaseProblem = createDatabaseCheck(context)

  return async (api) => {
    api.get(
      '/liquidity',
      {
        compress: gzip,
        schema: {
          operationId: 'getLiquidity',
          tags: ['Catalog'],
          summary: 'Balances of solvers',
          response: { 200: Envelope(Type.Array(LiquidityRecord)) },
        },
      },
      async () => success(await status.liquidity()),
    )

    api.get(
      '/health',
      {
        schema: {
          operationId: 'getHealth',
          tags: ['Service'],
          summary: 'Whether the service can serve swaps',
          description: '503 when the database cannot be written, no engine runs, or no solver answers.',
          response: { 200: Envelope(Type.Literal('Online')) },
        },
      },
      async () => {
        const problem = (await databaseProblem()) ?? context.engineProblem()
        if (problem !== null) throw new TandemError('chain_unavailable', problem)
        if (!(await status.anyOnline())) throw new TandemError('chain_unavailable', 'no solver answers at the moment; try again')
        return success('Online' as const)
      },
    )
  }
}
