import { setTimeout as sleep } from 'node:timers/promises'
import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { createLogger } from '../../log.ts'
import { createErrorAnswer } from './errors.ts'
import { limitTime } from './time-limit.ts'

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
