/** Answers every request within a time limit, with one shared timer: a timer per request costs more than many requests. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { TandemError } from '../../protocol/error.ts'

export function limitTime(server: FastifyInstance, { limitMs, lookMs }: { readonly limitMs: number; readonly lookMs: number }): void {
  const running = new Set<FastifyReply>()
  server.addHook('onRequest', (_request, reply, done) => {
    running.add(reply)
    done()
  })
  server.addHook('onResponse', (_request, reply, done) => {
    running.delete(reply)
    done()
  })
  const timer = setInterval(() => {
    for (const reply of running) {
      // Requests are kept in order of arrival: the rest are younger.
      if (reply.elapsedTime < limitMs) break
      running.delete(reply)
      void reply.send(new TandemError('chain_unavailable', 'this took too long, and was given up; try again'))
    }
  }, lookMs).unref()
  server.addHook('onClose', async () => clearInterval(timer))
}
