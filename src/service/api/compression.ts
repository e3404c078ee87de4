/** Lists are long and repetitive: they are sent compressed to whoever accepts it. */
import compress from '@fastify/compress'
import type { FastifyInstance } from 'fastify'

/** The route option that turns it on. */
export const gzip = { threshold: 1024 } as const

export function compressLists(server: FastifyInstance): void {
  void server.register(compress, { global: false, encodings: ['gzip'] })
}
