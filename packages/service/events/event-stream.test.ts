/** Tests streams to readers that are slow. */
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { openEventStream } from './event-stream.ts'

let server: Server
afterEach(() => {
  vi.useRealTimers()
  server.closeAllConnections()
  server.close()
})

async function connect(): Promise<{ readonly response: ServerResponse; readonly client: IncomingMessage }> {
  return new Promise((resolve) => {
    let response: ServerResponse
    server = createServer((_request, answer) => {
      response = answer
      answer.write(':\n\n')
    }).listen(0, '127.0.0.1', () => {
      get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false }, (client) => {
        client.on('error', () => undefined)
        resolve({ response, client })
      })
    })
  })
}

test('a reader that does not read is cut when its buffer is full', async () => {
  const { response } = await connect()
  let slow = 0
  const closed = new Promise<void>((resolve) => {
    const stream = openEventStream(response, { onCut: () => (slow += 1), onClose: resolve })
    stream.hold()
    stream.release()
    for (let id = 1n; stream.isOpen && id < 10_000n; id++) stream.send({ id, text: `id: ${id}\ndata: ${'x'.repeat(8000)}\n\n` })
    expect(response.writableLength).toBeLessThan(300_000)
  })
  await closed
  expect(slow).toBe(1)
})

test('live events wait for the replay, and none is sent twice', async () => {
  const { response, client } = await connect()
  let text = ''
  client.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const stream = openEventStream(response, { onCut: () => undefined, onClose: () => undefined })
  const frame = (id: bigint) => ({ id, text: `${id};` })
  stream.send(frame(1n))
  stream.hold()
  stream.send(frame(3n))
  stream.send(frame(4n))
  for (const id of [1n, 2n, 3n]) stream.replay(frame(id))
  stream.release()
  stream.send(frame(4n))
  stream.send(frame(5n))
  stream.end(1500)
  await new Promise((resolve) => client.on('end', resolve))
  expect(text).toBe(':\n\n1;2;3;4;5;retry: 1500\n\n')
})

test('a stream that has ended waits half a minute for its reader, and not longer', async () => {
  const { response } = await connect()
  const closed = new Promise<void>((resolve) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const stream = openEventStream(response, { onCut: () => undefined, onClose: resolve })
    response.write(Buffer.alloc(32_000_000))
    stream.end(1500)
  })
  vi.advanceTimersByTime(29_999)
  expect(response.destroyed).toBe(false)
  vi.advanceTimersByTime(1)
  await closed
  expect(response.destroyed).toBe(true)
})
