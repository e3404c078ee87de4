/** GET /openapi.json, GET /docs: the API documentation; no app id needed. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { DOCS_POLICY, renderDocsPage } from '../docs-page.ts'
import { nameSchemas } from '../name-schemas.ts'
import { readDocument } from '../openapi.ts'

export const docsRoutes: FastifyPluginAsyncTypebox = async (api) => {
  api.get('/openapi.json', { schema: { hide: true } }, async () => nameSchemas(readDocument(api)))

  api.get('/docs', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', DOCS_POLICY)
      .send(renderDocsPage(readDocument(api))),
  )
}
