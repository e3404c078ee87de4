/** Compresses long lists for clients that accept it. */
import compress from '@fastify/compress'
import type { FastifyInstance } from 'fastify'

/** The route option that turns compression on. It lists the encodings because a route does not inherit those of the server. */
export const gzip = { threshold: 1024, encodings: ['gzip'] } satisfies { threshold: number; encodings: 'gzip'[] }

export function compressLists(server: FastifyInstance): void {
  // Without this setting the plugin adds a hook to every route.
  server.addHook('onRoute', (route) => {
    route.compress ??= false
  })
  void server.register(compress, { global: false })
}
