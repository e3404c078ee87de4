/** GET /docs and its pages, /llms.txt, /openapi.json: files of `packages/reference`, in which the service replaces the placeholders. No app id is needed. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { TandemError } from '@tandem/protocol/error.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { gzip } from '../api/compression.ts'
import type { RateLimit } from '../api/rate-limit.ts'
import type { ServiceContext } from '../context.ts'
import { acceptsEncoding, hasContent } from './client-has.ts'
import { contentPolicy } from './content-policy.ts'
import { createKeptDocuments } from './kept-documents.ts'
import { type createPageFiles, typeOf } from './page-files.ts'
import { isFromHere, pageSettings } from './page-settings.ts'
import { escapeHtml, resultsHtml, type SearchEntry, search } from './search.ts'

const MAX_QUERY_LENGTH = 100
const [SEARCH_PAGE, MISSING_PAGE] = ['search', 'missing']
const NO_APP_ID = 'YOUR_APP_ID'
/** A host is a name or an address with a port (RFC 3986 section 3.2.2), so nothing in it can end an attribute or a shell text. */
const HOST = /^[A-Za-z0-9._:[\]-]{1,255}$/

export function referenceRoutes(
  context: ServiceContext,
  pageFiles: ReturnType<typeof createPageFiles>,
  rateLimit: Pick<RateLimit, 'ofAddress'>,
): FastifyPluginAsyncTypebox {
  const { settings } = context
  const publicUrl = settings.publicUrl?.replaceAll(/["<>\\]/g, encodeURIComponent) ?? null
  /** These are the values of `{{name}}` in a file. */
  const placeholders: Readonly<Record<string, (request: FastifyRequest) => string | Promise<string>>> = {
    origin: ({ protocol, host }) => publicUrl ?? originOf(protocol, host),
    server_url: () => publicUrl ?? '/',
    app_id: async (request) => (await pageSettings(context, isFromHere(request))).app_id ?? NO_APP_ID,
    app_header: () => settings.appIdHeaders[0] ?? 'service-app-id',
  }
  const documents = createKeptDocuments()
  const policy = contentPolicy([], "'self'")

  async function read(path: string) {
    const built = await pageFiles.open()
    const { file, placeholders: names } = built.manifest.reference[path] ?? { file: '', placeholders: [] }
    const content = await built.read(file, '')
    if (content === null) throw new TandemError('not_found', `there is no page "${path.slice(0, 200)}" here`)
    return { file, names, content: content.content }
  }

  async function valuesFor(request: FastifyRequest, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const values = names.flatMap((name) => {
      const value = placeholders[name]?.(request)
      return value === undefined ? [] : [Promise.resolve(value).then((text) => [name, text] as const)]
    })
    return new Map(await Promise.all(values))
  }

  const describe = (reply: FastifyReply, file: string) =>
    reply
      .type(typeOf(file))
      .header('content-security-policy', policy)
      .header('referrer-policy', 'no-referrer')
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'no-cache')

  /** The file is filled in and compressed once for all readers with the same values. */
  async function sendKept(request: FastifyRequest, reply: FastifyReply, path: string) {
    const { file, names, content } = await read(path)
    const values = await valuesFor(request, names)
    const { plain, gzipped, etag } = await documents.read(JSON.stringify([path, ...values]), () => fill(content, values))
    describe(reply, file).header('etag', etag).header('vary', 'accept-encoding')
    if (hasContent(request, etag)) return reply.status(304).send()
    return acceptsEncoding(request, 'gzip') ? reply.header('content-encoding', 'gzip').send(gzipped) : reply.send(plain)
  }

  /** The file is filled in for this request only. `own` are its own values. */
  async function sendOnce(request: FastifyRequest, reply: FastifyReply, path: string, own: readonly (readonly [string, string])[] = []) {
    const { file, names, content } = await read(path)
    return describe(reply, file).send(fill(content, new Map([...(await valuesFor(request, names)), ...own])))
  }

  let entries: readonly SearchEntry[] | null = null
  return async (api) => {
    api.addHook('onRequest', rateLimit.ofAddress('document'))
    const hidden = { schema: { hide: true } }
    for (const path of ['/openapi.json', '/docs/search.json', '/llms.txt', '/llms-full.txt'])
      api.get(path, hidden, (request, reply) => sendKept(request, reply, path))

    api.get('/docs/search', { ...hidden, compress: gzip }, async (request, reply) => {
      const { q } = request.query as { readonly q?: unknown }
      const query = typeof q === 'string' ? q.slice(0, MAX_QUERY_LENGTH) : ''
      entries ??= JSON.parse(String((await read('/docs/search.json')).content)) as readonly SearchEntry[]
      const results = resultsHtml(search(entries, query), query)
      return sendOnce(request, reply, SEARCH_PAGE, [
        ['query', escapeHtml(query)],
        ['results', results],
      ])
    })

    async function sendPage(request: FastifyRequest, reply: FastifyReply) {
      const path = request.url.split('?')[0]?.replace(/\/+$/, '') ?? ''
      const { manifest } = await pageFiles.open()
      return Object.hasOwn(manifest.reference, path) ? sendKept(request, reply, path) : sendOnce(request, reply.status(404), MISSING_PAGE)
    }
    api.get('/docs', { ...hidden, compress: gzip }, sendPage)
    api.get('/docs/*', { ...hidden, compress: gzip }, sendPage)
  }
}

function originOf(protocol: string, host: string): string {
  if (!HOST.test(host)) throw new TandemError('bad_request', 'the header Host is not the name of a host')
  return `${protocol}://${host}`
}

function fill(template: Buffer, values: ReadonlyMap<string, string>): string {
  return String(template).replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => values.get(name) ?? whole)
}
