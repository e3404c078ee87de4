/** A path that does not exist gets this page, with links to the others. Programs get the envelope instead. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptsEncoding } from './client-has.ts'
import { contentPolicy } from './content-policy.ts'
import type { createPageFiles } from './page-files.ts'

/** Returns true only if `Accept` names HTML itself (RFC 9110 section 12.5.1): programs that accept anything are no browsers. */
export function wantsPage({ method, headers }: FastifyRequest): boolean {
  const accepted = (headers.accept ?? '').split(',').map((part) => part.split(';').map((one) => one.trim().toLowerCase()))
  return (
    method === 'GET' &&
    accepted.some(([type, ...parameters]) => type === 'text/html' && !parameters.some((one) => /^q=0(\.0*)?$/.test(one)))
  )
}

/** Returns null if the pages are not built. */
export async function sendMissing(
  files: ReturnType<typeof createPageFiles>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | null> {
  const built = await files.open().catch(() => null)
  const encoding = acceptsEncoding(request, 'br') ? 'br' : acceptsEncoding(request, 'gzip') ? 'gzip' : ''
  const file = await built?.read(built.manifest.pages.missing?.html ?? '', encoding)
  if (file == null) return null
  if (encoding !== '') void reply.header('content-encoding', encoding)
  return reply
    .status(404)
    .headers({
      'content-security-policy': contentPolicy([]),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
      vary: 'accept, accept-encoding',
    })
    .type('text/html; charset=utf-8')
    .send(file.content)
}
