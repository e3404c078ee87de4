/** Connections that have sent no request. Browsers open such spare ones, and Node keeps a closing server open for them for a minute. */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** They are closed when the server closes. */
export function closeSilentConnections(api: FastifyInstance): void {
  const silent = new Set<Socket>()
  api.server.on('connection', (socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  api.server.on('request', ({ socket }) => silent.delete(socket))
  api.addHook('preClose', async () => {
    for (const socket of silent) socket.destroy()
  })
}
