/** GET /openapi.json, GET /docs and its pages, GET /llms.txt: the API documentation; no app id needed. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceContext } from '../../context.ts'
import { createReference, originOf, type Reader, type Reference } from '../../reference/reference.ts'
import { gzip } from '../compression.ts'
import { apiExamples } from '../examples.ts'
import { nameSchemas } from '../name-schemas.ts'
import { readDocument } from '../openapi.ts'

/** No external resources, no inline scripts or styles. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
const LONGEST_QUERY = 100

export function docsRoutes({ settings }: ServiceContext): FastifyPluginAsyncTypebox {
  return async (api) => {
    let known: Reference | null = null
    /** Made when first asked for: most processes are never asked. */
    function reference(): Reference {
      known ??= createReference({
        document: readDocument(api),
        examples: apiExamples,
        appIdHeader: settings.appIdHeaders[0] ?? 'service-app-id',
      })
      return known
    }
    const readerOf = (request: FastifyRequest): Reader => ({
      origin: originOf(settings.publicUrl, request.protocol, request.host),
      appId: null,
    })
    const files = { script: null, style: null }
    const send = (reply: FastifyReply, type: string, text: string) =>
      reply
        .type(`${type}; charset=utf-8`)
        .header('content-security-policy', DOCS_POLICY)
        .header('x-content-type-options', 'nosniff')
        .send(text)
    const hidden = { compress: gzip, schema: { hide: true } }

    let openapi: object | null = null
    api.get('/openapi.json', hidden, async () => {
      openapi ??= nameSchemas(readDocument(api))
      return openapi
    })
    api.get('/llms.txt', hidden, async (request, reply) => send(reply, 'text/plain', reference().llms(readerOf(request))))
    api.get('/llms-full.txt', hidden, async (request, reply) => send(reply, 'text/plain', reference().llmsFull(readerOf(request))))
    api.get('/docs/search.json', hidden, async () => reference().entries)
    api.get('/docs/search', hidden, async (request, reply) => {
      const { q } = request.query as { readonly q?: unknown }
      return send(reply, 'text/html', reference().search(typeof q === 'string' ? q.slice(0, LONGEST_QUERY) : '', readerOf(request), files))
    })

    async function sendPage(request: FastifyRequest, reply: FastifyReply) {
      const path = request.url.split('?')[0]?.replace(/\/+$/, '') ?? ''
      const reader = readerOf(request)
      const markdown = reference().markdown(path, reader)
      if (markdown !== null) return send(reply, 'text/markdown', markdown)
      const html = reference().page(path, reader, files)
      if (html !== null) return send(reply, 'text/html', html)
      return send(reply.status(404), 'text/html', reference().missing(reader, files))
    }
    api.get('/docs', hidden, sendPage)
    api.get('/docs/*', hidden, sendPage)
  }
}
