/** The pages and their files: `/`, and `/assets/{file}` with names that change with the content. No app id is needed. */
import { createHash } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { TandemError } from '../../protocol/error.ts'
import { success } from '../../protocol/wire/envelope.ts'
import type { ServiceContext } from '../context.ts'
import { contentPolicy } from './content-policy.ts'
import type { createPageFiles, PageFiles } from './page-files.ts'
import { askedByPages, isFromHere, pageSettings } from './page-settings.ts'
import { PAGES } from './pages.ts'

const YEAR_SECONDS = 31_536_000
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  html: 'text/html; charset=utf-8',
}

export function webRoutes(context: ServiceContext, files: ReturnType<typeof createPageFiles>): FastifyPluginAsyncTypebox {
  const settingsFor = (request: FastifyRequest) => pageSettings(context, isFromHere(request))

  async function open(): Promise<PageFiles> {
    try {
      return await files.open()
    } catch (error) {
      context.log.error({ err: error }, 'the pages cannot be built')
      throw new TandemError('chain_unavailable', 'the pages of this service are not built; its API works. The operator runs: npm run build')
    }
  }

  return async (api) => {
    for (const [path, name] of Object.entries(PAGES)) {
      api.get(path, { schema: { hide: true } }, async (request, reply) => {
        const built = await open()
        const { html } = built.manifest.pages[name] ?? { html: '' }
        void reply
          .header('content-security-policy', contentPolicy(askedByPages(await settingsFor(request))))
          .header('referrer-policy', 'no-referrer')
          .header('cross-origin-opener-policy', 'same-origin-allow-popups')
          .header('cache-control', 'no-cache')
        return sendFile(built, html, request, reply)
      })
    }

    api.get('/rescue/copy.html', { schema: { hide: true } }, async (request, reply) => {
      // The rest of its policy is in the file, where this part cannot be.
      void reply.header('cache-control', 'no-cache').header('content-security-policy', "frame-ancestors 'none'")
      return sendFile(await open(), 'rescue-copy.html', request, reply)
    })
    api.get('/assets/:file', { schema: { hide: true, params: Type.Object({ file: Type.String() }) } }, async (request, reply) => {
      void reply.header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`)
      return sendFile(await open(), `assets/${request.params.file}`, request, reply)
    })

    api.get('/web.json', { schema: { hide: true } }, async (request, reply) => {
      void reply.header('cache-control', 'no-store')
      return success(await settingsFor(request))
    })
  }
}

/** Compressed as the browser accepts it; 304 if it has this content already. */
async function sendFile(files: PageFiles, name: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const encoding = encodingOf(request)
  const content = await files.read(name, encoding)
  if (content === null) {
    void reply.removeHeader('cache-control')
    throw new TandemError('not_found', `there is no page or file "${name.slice(0, 200)}" here`)
  }
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
  void reply
    .header('etag', etag)
    .header('vary', 'accept-encoding')
    .header('x-content-type-options', 'nosniff')
    .type(TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream')
  if (request.headers['if-none-match'] === etag) return reply.status(304).send()
  if (encoding !== '') void reply.header('content-encoding', encoding)
  return reply.send(content)
}

function encodingOf({ headers }: FastifyRequest): '' | 'gzip' | 'br' {
  const accepted = (headers['accept-encoding'] ?? '')
    .toString()
    .split(',')
    .map((part) => part.split(';')[0]?.trim())
  return accepted.includes('br') ? 'br' : accepted.includes('gzip') ? 'gzip' : ''
}
