import { get } from 'node:http'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { closeServer, createClosing } from './closing.ts'

test('parts close in the reverse order, once, and all of them even if one fails', async () => {
  const closed: string[] = []
  const { keep, close } = createClosing()
  for (const name of ['database', 'loop', 'engine']) {
    keep(async () => {
      closed.push(name)
      if (name !== 'database') throw new Error(`the ${name} cannot release its leases`)
    })
  }
  await expect(close()).rejects.toThrow('the engine cannot')
  expect(closed).toEqual(['engine', 'loop', 'database'])
  await close()
  expect(closed).toHaveLength(3)
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
