import { once } from 'node:events'
import { get, type ServerResponse } from 'node:http'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { createLogger } from '@tandem/runtime/log.ts'
import { fastify } from 'fastify'
import { afterEach, expect, test, vi } from 'vitest'
import { createErrorAnswer } from './errors.ts'
import { limitTime } from './time-limit.ts'

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
