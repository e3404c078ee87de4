/** The routes GET /chains, GET /assets, GET /policy and GET /icons/{name}.svg. */
import etag from '@fastify/etag'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { TandemError } from '@tandem/protocol/error.ts'
import { AssetRecord, CatalogQuery } from '@tandem/protocol/wire/asset.ts'
import { ChainRecord } from '@tandem/protocol/wire/chain.ts'
import { Envelope, success } from '@tandem/protocol/wire/envelope.ts'
import { PolicyRecord } from '@tandem/protocol/wire/policy.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { listAssets, listChains } from '../../catalog.ts'
import type { ServiceContext } from '../../context.ts'
import { renderIcons } from '../../icons/render-icons.ts'
import { gzip } from '../compression.ts'

const DAY_SECONDS = 86_400

export function catalogRoutes(context: ServiceContext): FastifyPluginAsyncTypebox {
  const here = (request: FastifyRequest) => context.settings.publicUrl ?? `${request.protocol}://${request.host}`

  return async (api) => {
    // The tag is weak, because the same catalog may be compressed or not.
    await api.register(etag, { weak: true })

    api.get(
      '/chains',
      {
        compress: gzip,
        schema: {
          operationId: 'listChains',
          tags: ['Catalog'],
          summary: 'Chains and their assets',
          querystring: CatalogQuery,
          response: { 200: Envelope(Type.Array(ChainRecord)) },
        },
      },
      async (request) => success(await listChains(context, request.query, here(request))),
    )

    api.get(
      '/assets',
      {
        compress: gzip,
        schema: {
          operationId: 'listAssets',
          tags: ['Catalog'],
          summary: 'Assets of all chains',
          querystring: CatalogQuery,
          response: { 200: Envelope(Type.Array(AssetRecord)) },
        },
      },
      async (request) => success(await listAssets(context, request.query, here(request))),
    )
  }
}

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

/** Icons need no app id. */
export function iconRoutes({ registry }: ServiceContext): FastifyPluginAsyncTypebox {
  const icons = renderIcons(registry)

  return async (api) => {
    api.get('/icons/:file', { schema: { hide: true, params: Type.Object({ file: Type.String() }) } }, async ({ params }, reply) => {
      const name = /^(.+)\.svg$/.exec(params.file)?.[1]
      const icon = name === undefined ? undefined : icons.get(name)
      if (icon === undefined) throw new TandemError('not_found', `there is no icon "${params.file.slice(0, 90)}"`)
      return reply.type('image/svg+xml').header('cache-control', `public, max-age=${DAY_SECONDS}`).send(icon)
    })
  }
}
