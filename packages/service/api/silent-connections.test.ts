import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { closeSilentConnections } from './silent-connections.ts'

test('a closing server does not wait for a connection that sends nothing; a running request is answered', async () => {
  const events = new EventEmitter()
  const server = fastify({ keepAliveTimeout: 1 })
  server.server.headersTimeout = 0
  server.server.requestTimeout = 0
  closeSilentConnections(server)
  server.get('/', async () => {
    const answer = once(events, 'answer')
    events.emit('asked')
    await answer
    return 'late'
  })
  await server.listen({ port: 0 })
  const { port } = server.server.address() as AddressInfo
  const silent = connect(port)
  await once(silent, 'connect')
  const asked = once(events, 'asked')
  const response = fetch(`http://127.0.0.1:${port}`)
  await asked
  const closed = server.close()
  await once(silent, 'close')
  events.emit('answer')
  expect(await (await response).text()).toBe('late')
  await closed
}, 20_000)
