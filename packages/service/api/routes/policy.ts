/** GET /policy: the operator's rules about which assets may be swapped for which. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Envelope, success } from '@tandem/protocol/wire/envelope.ts'
import { PolicyRecord } from '@tandem/protocol/wire/policy.ts'
import type { ServiceContext } from '../../context.ts'

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
