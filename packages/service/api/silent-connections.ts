/** Connections that have sent no request. Browsers open such spare ones, and Node keeps a closing server open for them for a minute. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** They are closed when the server closes. */
export function closeSilentConnections(api: FastifyInstance): void {
  const silent = new Set<Socket>()
  const hear = ({ socket }: IncomingMessage) => forget(socket)
  function forget(socket: Socket): void {
    // Nobody listens while no connection is silent: most requests are not the first of theirs.
    if (silent.delete(socket) && silent.size === 0) api.server.off('request', hear)
  }
  api.server.on('connection', (socket) => {
    if (silent.size === 0) api.server.on('request', hear)
    silent.add(socket)
    socket.once('close', () => forget(socket))
  })
  api.addHook('preClose', async () => {
    for (const socket of silent) socket.destroy()
  })
}
