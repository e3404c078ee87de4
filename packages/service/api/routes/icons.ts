/** GET /icons/{name}.svg: icons of chains and assets; no app id needed. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { TandemError } from '@tandem/protocol/error.ts'
import { Type } from 'typebox'
import type { ServiceContext } from '../../context.ts'
import { renderIcons } from '../../icons/render-icons.ts'

const DAY_SECONDS = 86_400

export function iconRoutes({ registry }: ServiceContext): FastifyPluginAsyncTypebox {
  const icons = renderIcons(registry)

  return async (api) => {
    api.get('/icons/:file', { schema: { hide: true, params: Type.Object({ file: Type.String() }) } }, async ({ params }, reply) => {
      const name = /^(.+)\.svg$/.exec(params.file)?.[1]
      const icon = name === undefined ? undefined : icons.get(name)
      if (icon === undefined) throw new TandemError('not_found', `there is no icon "${params.file.slice(0, 90)}"`)
      return reply.type('image/svg+xml').header('cache-control', `public, max-age=${DAY_SECONDS}`).send(icon)
    })
  }
}
