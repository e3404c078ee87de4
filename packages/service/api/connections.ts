/** Answers every request within a time limit. All share one timer, because a timer per request would cost more than many handlers. */

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { TandemError } from '@tandem/protocol/error.ts'
import type { FastifyInstance, FastifyReply } from 'fastify'

export function limitTime(server: FastifyInstance, { limitMs, pollMs }: { readonly limitMs: number; readonly pollMs: number }): void {
  const running = new Set<FastifyReply>()
  server.addHook('onRequest', (_request, reply, done) => {
    running.add(reply)
    // The hook onResponse does not run when the client hangs up; the reply would stay in memory until the limit.
    reply.raw.once('close', () => running.delete(reply))
    done()
  })
  // The framework measures `elapsedTime` only where this hook exists.
  server.addHook('onResponse', (_request, reply, done) => {
    running.delete(reply)
    done()
  })
  const timer = setInterval(() => {
    for (const reply of running) {
      // The set is in the order of arrival, so all later replies are younger.
      if (reply.elapsedTime < limitMs) break
      running.delete(reply)
      // An answer that has begun, e.g. an event stream, may take longer.
      if (!reply.sent) void reply.send(new TandemError('chain_unavailable', 'the request timed out; try again'))
    }
  }, pollMs).unref()
  server.addHook('onClose', async () => clearInterval(timer))
}

export function closeSilentConnections(api: FastifyInstance): void {
  const silent = new Set<Socket>()
  const onRequest = ({ socket }: IncomingMessage) => forget(socket)
  function forget(socket: Socket): void {
    // There is no listener while no connection is silent, because most requests are not the first of their connection.
    if (silent.delete(socket) && silent.size === 0) api.server.off('request', onRequest)
  }
  api.server.on('connection', (socket) => {
    if (silent.size === 0) api.server.on('request', onRequest)
    silent.add(socket)
    socket.once('close', () => forget(socket))
  })
  api.addHook('preClose', async () => {
    for (const socket of silent) socket.destroy()
  })
}
