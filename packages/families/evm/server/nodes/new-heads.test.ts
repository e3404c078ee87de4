/** Tests the subscription to new heads over WebSocket. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { newHeadsOf } from './new-heads.ts'

let server: WebSocketServer
let url: string
let end: () => void = () => undefined
const sockets = () => [...server.clients]
const head = JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: '0x1', result: { number: '0x1' } } })

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  url = `ws://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
})
afterEach(async () => {
  end()
  for (const socket of sockets()) socket.terminate()
  await new Promise((resolve) => server.close(resolve))
})

const connected = () => vi.waitFor(() => expect(sockets()).toHaveLength(1), { timeout: 60_000 })

test('only heads count: an answer, an error or nonsense is no block', async () => {
  const asked: string[] = []
  server.on('connection', (socket) => socket.on('message', (message) => asked.push(String(message))))
  const onBlock = vi.fn()
  end = newHeadsOf([url])(onBlock)
  await vi.waitFor(() => expect(asked).toHaveLength(1), { timeout: 60_000 })
  expect(JSON.parse(asked[0] ?? '')).toMatchObject({ method: 'eth_subscribe', params: ['newHeads'] })
  for (const text of [
    '{"jsonrpc":"2.0","id":1,"result":"0x1"}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32601}}',
    'nonsense',
    '[]',
    'null',
    head,
  ])
    sockets()[0]?.send(text)
  await vi.waitFor(() => expect(onBlock).toHaveBeenCalledTimes(1), { timeout: 60_000 })
})

test('the headers of its configuration are sent with the handshake', async () => {
  const keys: unknown[] = []
  server.on('connection', (_, { headers }) => keys.push(headers['x-api-key']))
  end = newHeadsOf([{ url, headers: { 'x-api-key': 'api-key-value' } }])(() => undefined)
  await vi.waitFor(() => expect(keys).toEqual(['api-key-value']), { timeout: 60_000 })
})

test('a connection that breaks is opened again', async () => {
  const onBlock = vi.fn()
  end = newHeadsOf([url])(onBlock)
  await connected()
  const [first] = sockets()
  first?.terminate()
  await vi.waitFor(() => expect(sockets().filter((socket) => socket !== first)).toHaveLength(1), { timeout: 60_000 })
  await vi.waitFor(
    () => {
      for (const socket of sockets()) socket.send(head)
      expect(onBlock).toHaveBeenCalled()
    },
    { timeout: 60_000 },
  )
})

test('a message that is too long ends the connection, and is not kept in memory', async () => {
  const onBlock = vi.fn()
  end = newHeadsOf([url])(onBlock)
  await connected()
  const closed = new Promise((resolve) => sockets()[0]?.once('close', resolve))
  sockets()[0]?.send('x'.repeat(100_000))
  await closed
  expect(onBlock).not.toHaveBeenCalled()
})

test('a node that does not answer is no error', async () => {
  const onBlock = vi.fn()
  end = newHeadsOf(['ws://127.0.0.1:1'])(onBlock)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(onBlock).not.toHaveBeenCalled()
})
