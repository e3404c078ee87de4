/** GET /policy: the operator's rules about which assets may be swapped for which. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Envelope, success } from '../../../protocol/wire/envelope.ts'
import type { ServiceContext } from '../../context.ts'

const Patterns = Type.Array(Type.String({ description: '<chain>:<token> with * wildcards, "A -> B" one way, "A <-> B" both ways' }))

const PolicyRecord = Type.Object({
  default: Type.Union([Type.Literal('open'), Type.Literal('closed')]),
  isolation_groups: Patterns,
  blacklist_pairs: Patterns,
  whitelist_overrides: Patterns,
})

export function policyRoutes({ policy: rules }: ServiceContext): FastifyPluginAsyncTypebox {
  return async (api) => {
    api.get(
      '/policy',
      {
        schema: {
          operationId: 'getPolicy',
          tags: ['Catalog'],
          summary: 'Which assets may be swapped for which',
          description: 'The same rules decide every quote, every order and the `from` filter of /chains and /assets.',
          response: { 200: Envelope(PolicyRecord) },
        },
      },
      async () => {
        const { policy } = rules
        return success({
          default: policy.default,
          isolation_groups: [...policy.isolation_groups],
          blacklist_pairs: [...policy.blacklist_pairs],
          whitelist_overrides: [...policy.whitelist_overrides],
        })
      },
    )
  }
}
