/** The routes /livez and /readyz are for process supervisors. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { TandemError } from '@tandem/protocol/error.ts'
import { Envelope, success } from '@tandem/protocol/wire/envelope.ts'
import { Type } from 'typebox'
import type { ServiceContext } from '../../context.ts'
import { createReadiness } from '../../readiness.ts'

export function healthRoutes(context: ServiceContext): FastifyPluginAsyncTypebox {
  const problemNow = createReadiness(context)

  return async (api) => {
    api.get(
      '/livez',
      {
        schema: {
          operationId: 'livez',
          tags: ['Service'],
          summary: 'The process runs',
          response: { 200: Envelope(Type.Literal('alive')) },
        },
      },
      async () => success('alive' as const),
    )

    api.get(
      '/readyz',
      {
        schema: {
          operationId: 'readyz',
          tags: ['Service'],
          summary: 'It can serve: the database can be written, an engine runs, and at least one chain answers',
          response: { 200: Envelope(Type.Literal('ready')) },
        },
      },
      async () => {
        const problem = await problemNow()
        if (problem !== null) throw new TandemError('chain_unavailable', problem)
        return success('ready' as const)
      },
    )
  }
}
