/** Tests the WebSocket of one simulated provider: what it sends with its handshake, and limits of requests. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { createSocket, type Socket } from './socket.ts'

let server: Server
let accepts: boolean
let handshakes: IncomingMessage[]
let answer: object
let socket: Socket

beforeEach(async () => {
  accepts = true
  handshakes = []
  answer = { status: 'success', result: { n: 1 } }
  server = createServer()
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, raw, head) => {
    handshakes.push(request)
    if (!accepts) {
      raw.end('HTTP/1.1 429 Too Many Requests\r\nconnection: close\r\n\r\n')
      return
    }
    sockets.handleUpgrade(request, raw, head, (opened) => {
      opened.on('message', (message) => opened.send(JSON.stringify({ ...answer, id: JSON.parse(String(message)).id })))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/key-in-the-path`
  socket = createSocket({ url, headers: { 'x-api-key': 'api-key-value' } }, 5_000)
})
afterEach(async () => {
  socket.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

test('the headers of its configuration are sent with the handshake', async () => {
  expect(await socket.request('ping', {})).toEqual({ n: 1 })
  expect(handshakes.map(({ headers }) => headers['x-api-key'])).toEqual(['api-key-value'])
})

test('a provider that limits connections or requests is said to do so, without its keys', async () => {
  accepts = false
  const limited = {
    name: 'RateLimited',
    kind: 'unreachable',
    message: expect.stringMatching(/^the provider 127\.0\.0\.1:[0-9]+ limits our requests; waiting 1 s$/),
  }
  await expect(socket.request('ping', {})).rejects.toMatchObject(limited)
  accepts = true
  answer = { status: 'error', error: 'slowDown', error_message: 'You are placing too much load on the server.' }
  await expect(socket.request('ping', {})).rejects.toMatchObject(limited)
  answer = { status: 'success', result: {} }
  expect(await socket.request('ping', {})).toEqual({})
})
