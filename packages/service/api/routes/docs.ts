/** GET /openapi.json, GET /docs and its pages, GET /llms.txt: the API documentation; no app id needed. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceContext } from '../../context.ts'
import type { PageFiles } from '../../reference/html/page.ts'
import { createReference, originOf, type Reader, type Reference } from '../../reference/reference.ts'
import { acceptsEncoding, hasContent } from '../../web/client-has.ts'
import { contentPolicy } from '../../web/content-policy.ts'
import { createKeptDocuments } from '../../web/kept-documents.ts'
import type { createPageFiles } from '../../web/page-files.ts'
import { isFromHere, pageSettings } from '../../web/page-settings.ts'
import { gzip } from '../compression.ts'
import { apiExamples } from '../examples.ts'
import { nameSchemas } from '../name-schemas.ts'
import { readDocument } from '../openapi.ts'
import type { RateLimit } from '../rate-limit.ts'

const LONGEST_QUERY = 100

export function docsRoutes(
  context: ServiceContext,
  pageFiles: ReturnType<typeof createPageFiles>,
  rateLimit: Pick<RateLimit, 'ofAddress'>,
): FastifyPluginAsyncTypebox {
  const { settings } = context
  const documents = createKeptDocuments()
  return async (api) => {
    api.addHook('onRequest', rateLimit.ofAddress('document'))
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
    const describe = (reply: FastifyReply, type: string) =>
      reply
        .type(`${type}; charset=utf-8`)
        .header('content-security-policy', policy)
        .header('referrer-policy', 'no-referrer')
        .header('x-content-type-options', 'nosniff')
        .header('cache-control', 'no-cache')
    /** Of many readers: written and compressed once. `key`: what the text depends on. */
    async function sendKept(request: FastifyRequest, reply: FastifyReply, type: string, key: readonly unknown[], write: () => string) {
      const { plain, gzipped, etag } = await documents.read(JSON.stringify([request.routeOptions.url, ...key]), write)
      describe(reply, type).header('etag', etag).header('vary', 'accept-encoding')
      if (hasContent(request, etag)) return reply.status(304).send()
      return acceptsEncoding(request, 'gzip') ? reply.header('content-encoding', 'gzip').send(gzipped) : reply.send(plain)
    }
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
    const hidden = { schema: { hide: true } }
    /** Of one reader only. */
    const written = { ...hidden, compress: gzip }

    api.get('/openapi.json', hidden, async (request, reply) =>
      sendKept(request, reply, 'application/json', [], () => JSON.stringify(nameSchemas(readDocument(api)))),
    )
    api.get('/docs/search.json', hidden, async (request, reply) =>
      sendKept(request, reply, 'application/json', [], () => JSON.stringify(reference().entries)),
    )
    for (const [path, name] of [
      ['/llms.txt', 'llms'],
      ['/llms-full.txt', 'llmsFull'],
    ] as const)
      api.get(path, hidden, async (request, reply) => {
        const reader = await readerOf(request)
        return sendKept(request, reply, 'text/plain', [reader], () => reference()[name](reader))
      })
    api.get('/docs/search', written, async (request, reply) => {
      const { q } = request.query as { readonly q?: unknown }
      const query = typeof q === 'string' ? q.slice(0, LONGEST_QUERY) : ''
      return describe(reply, 'text/html').send(reference().search(query, await readerOf(request), await files()))
    })

    async function sendPage(request: FastifyRequest, reply: FastifyReply) {
      const path = request.url.split('?')[0]?.replace(/\/+$/, '') ?? ''
      const [reader, loaded] = [await readerOf(request), await files()]
      if (reference().hasMarkdown(path))
        return sendKept(request, reply, 'text/markdown', [path, reader], () => reference().markdown(path, reader))
      if (reference().hasPage(path))
        return sendKept(request, reply, 'text/html', [path, reader, loaded !== null], () => reference().page(path, reader, loaded))
      return describe(reply.status(404), 'text/html').send(reference().missing(reader, loaded))
    }
    api.get('/docs', written, sendPage)
    api.get('/docs/*', written, sendPage)
  }
}
