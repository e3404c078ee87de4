/** The pages and their files: `/`, and `/assets/{file}` with names that change with the content; the licences of what is inside. No app id is needed. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { TandemError } from '@tandem/protocol/error.ts'
import { success } from '@tandem/protocol/wire/envelope.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { RateLimit } from '../api/rate-limit.ts'
import type { ServiceContext } from '../context.ts'
import { acceptsEncoding, hasContent } from './client-has.ts'
import { contentPolicy } from './content-policy.ts'
import { sendMissing, wantsPage } from './missing-page.ts'
import { type createPageFiles, type PageFiles, typeOf } from './page-files.ts'
import { askedByPages, isFromHere, pageSettings } from './page-settings.ts'

const YEAR_SECONDS = 31_536_000
/** `packages/web/pages.ts` says what each page consists of. */
const PAGES: Readonly<Record<string, string>> = { '/': 'swap', '/rescue': 'rescue', '/operator': 'operator' }

export function webRoutes(
  context: ServiceContext,
  files: ReturnType<typeof createPageFiles>,
  rateLimit: Pick<RateLimit, 'ofAddress'>,
): FastifyPluginAsyncTypebox {
  const settingsFor = (request: FastifyRequest) => pageSettings(context, isFromHere(request))

  return async (api) => {
    api.addHook('onRequest', rateLimit.ofAddress('file'))
    for (const [path, name] of Object.entries(PAGES)) {
      api.get(path, { schema: { hide: true } }, async (request, reply) => {
        const built = await files.open()
        const { html } = built.manifest.pages[name] ?? { html: '' }
        void reply
          .header('content-security-policy', contentPolicy(askedByPages(await settingsFor(request))))
          .header('referrer-policy', 'no-referrer')
          .header('cross-origin-opener-policy', 'same-origin-allow-popups')
          .header('cache-control', 'no-cache')
        return sendFile(built, html, request, reply)
      })
    }

    const copy = { onRequest: rateLimit.ofAddress('document'), schema: { hide: true } }
    api.get('/rescue/copy.html', copy, async (request, reply) => {
      // The file contains the rest of its policy; `frame-ancestors` only works as a header.
      void reply.header('cache-control', 'no-cache').header('content-security-policy', "frame-ancestors 'none'")
      return sendFile(await files.open(), 'rescue-copy.html', request, reply)
    })
    api.get('/licences.txt', { schema: { hide: true } }, async (request, reply) => {
      void reply.header('cache-control', 'no-cache')
      return sendFile(await files.open(), 'licences.txt', request, reply)
    })
    api.get('/assets/:file', { schema: { hide: true, params: Type.Object({ file: Type.String() }) } }, async (request, reply) => {
      void reply.header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`)
      const [built, name] = [await files.open(), `assets/${request.params.file}`]
      const page = built.manifest.files[name] === undefined && wantsPage(request) ? await sendMissing(files, request, reply) : null
      return page ?? sendFile(built, name, request, reply)
    })

    api.get('/web.json', { schema: { hide: true } }, async (request, reply) => {
      void reply.header('cache-control', 'no-store')
      return success(await settingsFor(request))
    })
  }
}

/** The browser gets an encoding that it accepts, or 304 if it already has this content. */
async function sendFile(files: PageFiles, name: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const encoding = acceptsEncoding(request, 'br') ? 'br' : acceptsEncoding(request, 'gzip') ? 'gzip' : ''
  const file = await files.read(name, encoding)
  if (file === null) {
    void reply.removeHeader('cache-control')
    throw new TandemError('not_found', `there is no page or file "${name.slice(0, 200)}" here`)
  }
  void reply.header('etag', file.etag).header('vary', 'accept-encoding').header('x-content-type-options', 'nosniff').type(typeOf(name))
  if (hasContent(request, file.etag)) return reply.status(304).send()
  if (encoding !== '') void reply.header('content-encoding', encoding)
  return reply.send(file.content)
}
