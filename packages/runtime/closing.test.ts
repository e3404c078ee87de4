/** Tests the order in which parts of a process close. */
import { get } from 'node:http'
import fastify from 'fastify'
import { expect, test, vi } from 'vitest'
import { closeServer, type Keep, startClosable } from './closing.ts'

/** These parts say when they are closed. Those named cannot be closed. */
function createParts(...stuck: readonly string[]) {
  const closed: string[] = []
  const start = (keep: Keep, ...names: readonly string[]) => {
    for (const name of names) {
      keep(async () => {
        closed.push(name)
        if (stuck.includes(name)) throw new Error(`the ${name} cannot be closed`)
      })
    }
  }
  return { closed, start }
}

test('parts close in the reverse order, once, and all of them even if one fails', async () => {
  const { closed, start } = createParts('loop', 'engine')
  const trouble = vi.fn()
  const { url, stop } = await startClosable(async (keep) => {
    start(keep, 'database', 'loop', 'engine')
    return { url: 'http://here' }
  }, trouble)
  expect([url, closed]).toEqual(['http://here', []])
  await expect(stop()).rejects.toThrow('the engine cannot')
  expect(closed).toEqual(['engine', 'loop', 'database'])
  await stop()
  expect(closed).toHaveLength(3)
  expect(trouble).not.toHaveBeenCalled()
})

test('if a step fails, the parts that run are closed, and its error is the one that is thrown', async () => {
  const { closed, start } = createParts('loop')
  const trouble = vi.fn()
  const starting = startClosable(async (keep) => {
    start(keep, 'database', 'loop')
    await Promise.reject(new Error('the port is taken'))
    start(keep, 'server')
    return {}
  }, trouble)
  await expect(starting).rejects.toThrow('the port is taken')
  expect(closed).toEqual(['loop', 'database'])
  expect(trouble).toHaveBeenCalledExactlyOnceWith(new Error('the loop cannot be closed'))
})

test('a server closes although a request is never answered', async () => {
  const server = fastify()
  let begun: () => void = () => undefined
  const isBegun = new Promise<void>((resolve) => {
    begun = resolve
  })
  server.get('/', () => {
    begun()
    return new Promise(() => undefined)
  })
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  const cut = new Promise((resolve) => get(url).on('error', resolve))
  await isBegun
  await closeServer(server, 20)
  expect(await cut).toMatchObject({ code: 'ECONNRESET' })
})
