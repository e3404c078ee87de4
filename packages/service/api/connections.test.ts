/** Tests slow handlers, clients that hang up, and addresses behind proxies. */
import { EventEmitter, once } from 'node:events'
import { get, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { createLogger } from '@tandem/runtime/log.ts'
import { fastify } from 'fastify'
import { afterEach, expect, test, vi } from 'vitest'
import { startTestService, type TestService } from '../testing/service.fixture.ts'
import { closeSilentConnections, limitTime } from './connections.ts'
import { createErrorAnswer } from './errors.ts'

afterEach(() => void vi.useRealTimers())

test('answers for a slow handler with an error in the envelope and drops its late result; other requests are not affected', async () => {
  const server = fastify()
  server.setErrorHandler(createErrorAnswer(createLogger({ name: 'test', level: 'silent' })))
  limitTime(server, { limitMs: 100, pollMs: 10 })
  let finish = (): void => undefined
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  server.get('/slow', async () => {
    await finished
    return 'late'
  })
  server.get('/quick', async () => 'in time')
  try {
    const slow = server.inject('/slow')
    await sleep(50)
    expect((await server.inject('/quick')).body).toBe('in time')
    const answer = await slow
    expect({ status: answer.statusCode, body: answer.json() }).toMatchObject({
      status: 503,
      body: { status: 'Error', code: 'chain_unavailable' },
    })
    finish()
    expect((await server.inject('/quick')).body).toBe('in time')
  } finally {
    await server.close()
  }
})

test('forgets a request whose client hangs up', async () => {
  const server = fastify()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  limitTime(server, { limitMs: 0, pollMs: 10 })
  const answered = vi.fn()
  server.addHook('onSend', async () => answered())
  const began = new Promise<ServerResponse>((resolve) => {
    server.get('/slow', (_request, reply) => {
      resolve(reply.raw)
      return new Promise(() => undefined)
    })
  })
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  try {
    const client = get(`${url}/slow`).on('error', () => undefined)
    const closed = once(await began, 'close')
    client.destroy()
    await closed
    vi.advanceTimersByTime(10)
    await turn()
    expect(answered).not.toHaveBeenCalled()
  } finally {
    await server.close()
  }
})

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

const services: TestService[] = []
const controllers: AbortController[] = []
afterEach(async () => {
  for (const controller of controllers.splice(0)) controller.abort()
  await Promise.all(services.splice(0).map((service) => service.close()))
})

const streamLimits = { perProcess: 100, perApp: 100, perAddress: 1 }

async function start(trustedProxies: readonly string[]): Promise<(forwardedFor: string) => Promise<number>> {
  const service = await startTestService({ environment: 'local', trustedProxies, streamLimits })
  services.push(service)
  return async (forwardedFor) => {
    const controller = new AbortController()
    controllers.push(controller)
    const headers = { 'service-app-id': service.appId, 'x-forwarded-for': forwardedFor }
    return (await fetch(`${service.url}/v2/events`, { headers, signal: controller.signal })).status
  }
}

test('without a trusted proxy nobody gets another address by naming one', async () => {
  const open = await start([])
  expect([await open('1.1.1.1'), await open('2.2.2.2')]).toEqual([200, 429])
})

test('behind a trusted proxy each client has its own limit, by the last address that the proxy did not add itself', async () => {
  const open = await start(['127.0.0.1'])
  expect([await open('1.1.1.1'), await open('2.2.2.2'), await open('1.1.1.1')]).toEqual([200, 200, 429])
  // The client wrote this part itself, so it stands before what the proxy added and does not count.
  expect(await open('9.9.9.9, 2.2.2.2')).toBe(429)
})

test('a proxy that is not named is a client', async () => {
  const open = await start(['10.0.0.0/8'])
  expect([await open('1.1.1.1'), await open('2.2.2.2')]).toEqual([200, 429])
})
