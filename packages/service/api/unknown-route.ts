/** Answers requests that no route takes: 404, to people as a page, or 405 with `Allow` where the path has other methods (RFC 9110 section 15.5.6). */

import { TandemError } from '@tandem/protocol/error.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { wantsPage } from '../web/missing-page.ts'

/** Must be made before the routes. `sendPage`: for people; null if there is none. */
export function createUnknownRouteAnswer(
  server: FastifyInstance,
  sendPage: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | null>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const methods = new Map<string, Set<string>>()
  server.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set()
    for (const name of Array.isArray(method) ? method : [method]) known.add(name)
    methods.set(url, known)
  })

  return async (request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    const asked = `${request.method} ${path.slice(0, 200)}`
    const allowed = [...methods].filter(([url]) => isPath(url, path)).flatMap(([, known]) => [...known])
    if (allowed.length === 0) {
      const page = wantsPage(request) ? await sendPage(request, reply) : null
      if (page !== null) return page
      throw new TandemError('not_found', `there is no ${asked} here`)
    }
    const allow = [...new Set(allowed)].toSorted().join(', ')
    void reply.header('allow', allow)
    throw new TandemError('method_not_allowed', `there is no ${asked} here: this path takes ${allow}`)
  }
}

/** `:name` in a route matches any one part. Slashes may be repeated. */
function isPath(route: string, path: string): boolean {
  const [expected, given] = [partsOf(route), partsOf(path)]
  return expected.length === given.length && expected.every((part, at) => part.startsWith(':') || part === given[at])
}

const partsOf = (path: string): readonly string[] => path.split('/').filter((part) => part !== '')
