// These tests check JSON-RPC over HTTP: batches, invalid requests, and the faults of a network.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { expect, it } from 'vitest'
import { openSolanaFixture } from '../solana.fixture.ts'
import { startSolanaChain } from '../solana-chain.ts'

const fixture = openedForEach(() => openSolanaFixture())

const ask = async (body: string) => JSON.parse(await fixture.post(body))
const health = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'getHealth' })

it('answers a batch in its order, each request by itself', async () => {
  const batch = [health(1), { jsonrpc: '2.0', id: 'two', method: 'getNothing' }, 7, health(null)]
  expect(await ask(JSON.stringify(batch))).toEqual([
    { jsonrpc: '2.0', id: 1, result: 'ok' },
    { jsonrpc: '2.0', id: 'two', error: { code: -32_601, message: 'Method not found' } },
    { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'Invalid request' } },
    { jsonrpc: '2.0', id: null, result: 'ok' },
  ])
})

it.each([
  ['', -32_700],
  ['{', -32_700],
  ['[]', -32_600],
  ['null', -32_600],
  ['{"jsonrpc":"2.0","id":1}', -32_600],
  ['{"jsonrpc":"2.0","id":1,"method":7}', -32_600],
  ['{"jsonrpc":"2.0","id":1,"method":"getHealth","params":{"a":1}}', -32_600],
  ['{"jsonrpc":"2.0","id":1,"method":"toString"}', -32_601],
  ['{"jsonrpc":"2.0","id":1,"method":"__proto__"}', -32_601],
])('"%s" is error %i', async (body, code) => {
  expect(await ask(body)).toMatchObject({ error: { code } })
})

it('serves browsers and health checks, and POST only', async () => {
  const options = await fetch(fixture.chain.url, { method: 'OPTIONS' })
  expect([options.status, options.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
  expect(await (await fetch(`${fixture.chain.url}/health`)).text()).toBe('ok')
  expect((await fetch(fixture.chain.url)).status).toBe(405)
  expect((await fetch(fixture.chain.url, { method: 'POST', body: 'x'.repeat(9 * 1024 * 1024) })).status).toBe(413)
})

it('can be slow, and gone', async () => {
  fixture.chain.faults.delay(200)
  const start = Date.now()
  expect(await fixture.call('getHealth')).toBe('ok')
  expect(Date.now() - start).toBeGreaterThanOrEqual(199)
  fixture.chain.faults.delay(0)
  fixture.chain.faults.offline(true)
  await expect(fixture.call('getHealth')).rejects.toThrow('fetch failed')
  fixture.chain.faults.offline(false)
  expect(await fixture.call('getHealth')).toBe('ok')
})

it('does not start on a port that is taken, and leaves the other one free', async () => {
  const port = Number(new URL(fixture.chain.url).port)
  await expect(startSolanaChain({ port })).rejects.toThrow('EADDRINUSE')
  // Another process may hold the port before for as long as it likes: then a new pair of ports is tried.
  await expect.poll(freesTheOtherPort).toBe(true)
})

async function freesTheOtherPort(): Promise<boolean> {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const port = (taken.address() as AddressInfo).port - 1
  await expect(startSolanaChain({ port })).rejects.toThrow('EADDRINUSE')
  const isFree = await canListenOn(port)
  await new Promise((resolve) => taken.close(resolve))
  return isFree
}

async function canListenOn(port: number): Promise<boolean> {
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (isFree) await new Promise((resolve) => server.close(resolve))
  return isFree
}
