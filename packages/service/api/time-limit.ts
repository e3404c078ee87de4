/** Answers every request within a time limit. One shared timer: a timer per request would cost more than many handlers. */

import { TandemError } from '@tandem/protocol/error.ts'
import type { FastifyInstance, FastifyReply } from 'fastify'

export function limitTime(server: FastifyInstance, { limitMs, pollMs }: { readonly limitMs: number; readonly pollMs: number }): void {
  const running = new Set<FastifyReply>()
  server.addHook('onRequest', (_request, reply, done) => {
    running.add(reply)
    // When the client hangs up, the hook onResponse does not come: thousands who do would be kept in memory until the limit.
    reply.raw.once('close', () => running.delete(reply))
    done()
  })
  // With this hook, the framework measures `elapsedTime`.
  server.addHook('onResponse', (_request, reply, done) => {
    running.delete(reply)
    done()
  })
  const timer = setInterval(() => {
    for (const reply of running) {
      // In order of arrival: the rest are younger.
      if (reply.elapsedTime < limitMs) break
      running.delete(reply)
      // An answer that has begun, e.g. an event stream, may take longer.
      if (!reply.sent) void reply.send(new TandemError('chain_unavailable', 'the request timed out; try again'))
    }
  }, pollMs).unref()
  server.addHook('onClose', async () => clearInterval(timer))
}
