/** Tests HTTP requests: limits, redirects, kept connections and repeats. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { callHttp } from './http-client.ts'

let server: ReturnType<typeof createServer>
let url: string
let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void
const seen: string[] = []

beforeEach(async () => {
  seen.length = 0
  server = createServer((request, response) => {
    request.toArray().then(
      (chunks) => {
        const body = Buffer.concat(chunks).toString('utf8')
        seen.push(`${request.method} ${request.url} ${body}`)
        answer(request, response, body)
      },
      () => undefined,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const limits = { timeoutMs: 10_000, maxBytes: 1000 }

test('a body makes it a POST; every HTTP status is an answer', async () => {
  answer = (request, response, body) => response.writeHead(body === '' ? 200 : 418).end(`${request.headers['x-a']} ü`)
  expect(await callHttp({ url: `${url}/a?b=c`, headers: { 'x-a': '1' }, ...limits })).toEqual({ status: 200, text: '1 ü' })
  expect(await callHttp({ url, headers: { 'x-a': '2' }, body: '{"ü":1}', ...limits })).toEqual({ status: 418, text: '2 ü' })
  expect(seen).toEqual(['GET /a?b=c ', 'POST / {"ü":1}'])
})

test('a redirect is not followed', async () => {
  answer = (_request, response) => response.writeHead(302, { location: `${url}/elsewhere` }).end()
  expect(await callHttp({ url, ...limits })).toMatchObject({ status: 302 })
  expect(seen).toHaveLength(1)
})

test('size limit, timeout, a cut answer and a refused connection fail with a code each', async () => {
  answer = (_request, response) => response.end('x'.repeat(2000))
  await expect(callHttp({ url, ...limits })).rejects.toMatchObject({ code: 'ETOOLARGE' })
  answer = () => undefined
  await expect(callHttp({ url, ...limits, timeoutMs: 50 })).rejects.toMatchObject({ code: 'ETIMEDOUT' })
  answer = (_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half')
    setTimeout(() => response.destroy(), 20)
  }
  await expect(callHttp({ url, ...limits })).rejects.toMatchObject({ code: 'ECONNRESET' })
  await expect(callHttp({ url: 'http://127.0.0.1:1', ...limits })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('a request can be aborted', async () => {
  const controller = new AbortController()
  answer = () => controller.abort()
  await expect(callHttp({ url, ...limits, signal: controller.signal })).rejects.toMatchObject({ code: 'ABORT_ERR' })
})

test('connections are kept alive; when the server closed one in the meantime, the request is sent over a new one', async () => {
  const sockets = new Set<unknown>()
  answer = (request, response) => {
    sockets.add(request.socket)
    setTimeout(() => response.end('ok'), 5)
  }
  await callHttp({ url, ...limits })
  await callHttp({ url, ...limits })
  expect(sockets.size).toBe(1)
  // Several connections are kept alive, and the server closes all of them when the next request arrives.
  await Promise.all([1, 2, 3].map(() => callHttp({ url, ...limits })))
  const kept = new Set(sockets)
  expect(kept.size).toBeGreaterThan(1)
  answer = (request, response) => {
    if (kept.has(request.socket)) request.socket.destroy()
    else response.end('again')
  }
  expect(await callHttp({ url, body: 'x', ...limits })).toEqual({ status: 200, text: 'again' })
  expect(seen.filter((line) => line === 'POST / x')).toHaveLength(2)
})

test('a request that is not repeatable does not use a connection that was idle for long', async () => {
  const sockets: Socket[] = []
  answer = ({ socket }, response) => {
    sockets.push(socket)
    response.end('ok')
  }
  const once = () => callHttp({ url, body: 'once', repeatable: false, ...limits })
  await callHttp({ url, ...limits })
  await once()
  await once()
  const [others, first, second] = sockets
  expect(first).not.toBe(others)
  expect(second).toBe(first)
  await new Promise((resolve) => first?.once('close', resolve))
  expect(others?.destroyed).toBe(false)
})

test('a request that is not repeatable is not sent again', async () => {
  answer = (_request, response) => response.end('ok')
  await callHttp({ url, body: 'first', repeatable: false, ...limits })
  answer = (request) => request.socket.destroy()
  await expect(callHttp({ url, body: 'once', repeatable: false, ...limits })).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(seen.filter((line) => line === 'POST / once')).toHaveLength(1)
})
