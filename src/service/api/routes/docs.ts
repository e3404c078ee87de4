/** GET /openapi.json, GET /docs and its pages, GET /llms.txt: the API documentation; no app id needed. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceContext } from '../../context.ts'
import type { PageFiles } from '../../reference/html/page.ts'
import { createReference, originOf, type Reader, type Reference } from '../../reference/reference.ts'
import { contentPolicy } from '../../web/content-policy.ts'
import type { createPageFiles } from '../../web/page-files.ts'
import { isFromHere, pageSettings } from '../../web/page-settings.ts'
import { gzip } from '../compression.ts'
import { apiExamples } from '../examples.ts'
import { nameSchemas } from '../name-schemas.ts'
import { readDocument } from '../openapi.ts'

const LONGEST_QUERY = 100

export function docsRoutes(context: ServiceContext, pageFiles: ReturnType<typeof createPageFiles>): FastifyPluginAsyncTypebox {
  const { settings } = context
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
    const readerOf = async (request: FastifyRequest): Promise<Reader> => ({
      origin: originOf(settings.publicUrl, request.protocol, request.host),
      appId: (await pageSettings(context, isFromHere(request))).app_id,
    })
    const policy = contentPolicy([], "'self'")
    const send = (reply: FastifyReply, type: string, text: string) =>
      reply
        .type(`${type}; charset=utf-8`)
        .header('content-security-policy', policy)
        .header('referrer-policy', 'no-referrer')
        .header('x-content-type-options', 'nosniff')
        .header('cache-control', 'no-cache')
        .send(text)
    /** Null if they cannot be built: the page is readable without them. */
    async function files(): Promise<PageFiles> {
      const { docs } = await pageFiles.open().then(
        ({ manifest }) => manifest.scripts,
        () => ({ docs: undefined }),
      )
      if (docs === undefined) return null
      const named = (ending: string) => docs.first.filter((file) => file.endsWith(ending)).map((file) => `/${file}`)
      return { scripts: named('.js'), styles: named('.css'), theme: `/${docs.theme}`, icon: `/${docs.icon}` }
    }
    const hidden = { compress: gzip, schema: { hide: true } }

    let openapi: object | null = null
    api.get('/openapi.json', hidden, async () => {
      openapi ??= nameSchemas(readDocument(api))
      return openapi
    })
    api.get('/llms.txt', hidden, async (request, reply) => send(reply, 'text/plain', reference().llms(await readerOf(request))))
    api.get('/llms-full.txt', hidden, async (request, reply) => send(reply, 'text/plain', reference().llmsFull(await readerOf(request))))
    api.get('/docs/search.json', hidden, async () => reference().entries)
    api.get('/docs/search', hidden, async (request, reply) => {
      const { q } = request.query as { readonly q?: unknown }
      const query = typeof q === 'string' ? q.slice(0, LONGEST_QUERY) : ''
      return send(reply, 'text/html', reference().search(query, await readerOf(request), await files()))
    })

    async function sendPage(request: FastifyRequest, reply: FastifyReply) {
      const path = request.url.split('?')[0]?.replace(/\/+$/, '') ?? ''
      const reader = await readerOf(request)
      const markdown = reference().markdown(path, reader)
      if (markdown !== null) return send(reply, 'text/markdown', markdown)
      const html = reference().page(path, reader, await files())
      if (html !== null) return send(reply, 'text/html', html)
      return send(reply.status(404), 'text/html', reference().missing(reader, await files()))
    }
    api.get('/docs', hidden, sendPage)
    api.get('/docs/*', hidden, sendPage)
  }
}
