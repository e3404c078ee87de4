/** GET /chains, GET /assets. */
import etag from '@fastify/etag'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AssetRecord, CatalogQuery } from '@tandem/protocol/wire/asset.ts'
import { ChainRecord } from '@tandem/protocol/wire/chain.ts'
import { Envelope, success } from '@tandem/protocol/wire/envelope.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { listAssets, listChains } from '../../catalog.ts'
import type { ServiceContext } from '../../context.ts'
import { gzip } from '../compression.ts'

export function catalogRoutes(context: ServiceContext): FastifyPluginAsyncTypebox {
  const here = (request: FastifyRequest) => context.settings.publicUrl ?? `${request.protocol}://${request.host}`

  return async (api) => {
    // Weak: the same catalog may arrive compressed or not.
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
