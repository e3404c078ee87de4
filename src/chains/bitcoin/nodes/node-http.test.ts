/** Connections that a node has closed meanwhile are replaced. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createNodeHttp } from './node-http.ts'

let server: Server
afterEach(() => new Promise((resolve) => server.close(resolve)))

/** Cuts the first connections without an answer. */
async function startNode(cuts: number): Promise<string> {
  let asked = 0
  server = createServer((request, response) => {
    asked += 1
    if (asked <= cuts) request.socket.destroy()
    else response.end(`answer ${asked}`, () => request.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a request whose connection is cut is sent once more', async () => {
  const ask = createNodeHttp(await startNode(1))
  expect((await ask({ body: 'question', timeoutMs: 5_000 })).text()).toBe('answer 2')
})

test('and no more than that', async () => {
  const ask = createNodeHttp(await startNode(2))
  await expect(ask({ body: 'question', timeoutMs: 5_000 })).rejects.toMatchObject({ kind: 'unreachable' })
})
