/** The routes GET /schemas and GET /schemas/{name} return the interfaces of the deployed contracts. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { loadContractSchemas } from '@tandem/families/index.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { Envelope, success } from '@tandem/protocol/wire/envelope.ts'
import { SchemaRecord } from '@tandem/protocol/wire/schema.ts'
import { Type } from 'typebox'
import { gzip } from '../compression.ts'

/** The schemas include families that are not served, so they are loaded for a request only. */
const allSchemas = async () => Object.entries(await loadContractSchemas()).map(([name, schema]) => ({ name, schema }))

export const schemaRoutes: FastifyPluginAsyncTypebox = async (api) => {
  api.get(
    '/schemas',
    {
      compress: gzip,
      schema: {
        operationId: 'listSchemas',
        tags: ['Catalog'],
        summary: 'Interfaces of all contracts',
        description: 'The example shows one item of each list.',
        response: { 200: Envelope(Type.Array(SchemaRecord)) },
      },
    },
    async () => success(await allSchemas()),
  )

  api.get(
    '/schemas/:name',
    {
      compress: gzip,
      schema: {
        operationId: 'getSchema',
        tags: ['Catalog'],
        summary: 'Interface of one contract',
        description: 'The example shows one item of each list.',
        params: Type.Object({ name: Type.String({ description: 'a name of GET /schemas' }) }),
        response: { 200: Envelope(SchemaRecord) },
      },
    },
    async ({ params }) => {
      const all = await allSchemas()
      const found = all.find(({ name }) => name === params.name.toLowerCase())
      if (found === undefined)
        throw new TandemError(
          'not_found',
          `there is no schema "${params.name.slice(0, 90)}"; there are ${all.map(({ name }) => name).join(', ')}`,
        )
      return success(found)
    },
  )
}
