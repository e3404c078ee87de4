/** Tests how requests to providers are counted. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createProviderHttp } from '../providers/http.ts'
import { tallyOf } from './provider-tally.ts'

let server: Server | null = null
afterEach(() => void server?.close())

async function serve(status: () => number): Promise<string> {
  const started = createServer((_request, response) => response.writeHead(status(), { 'retry-after': '0' }).end('{}'))
  server = started
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}/key`
}

test('requests are counted by how they ended, whatever credentials the URL has', async () => {
  let status = 200
  const url = await serve(() => status)
  expect(tallyOf(url)).toBeNull()
  const http = createProviderHttp(url.replace('://', '://user:password@'))
  const ask = (answer: number) => {
    status = answer
    return http.request({ what: 'tip', body: '{}', timeoutMs: 5_000 })
  }
  await ask(200)
  // A node refuses a call with any status: it answered.
  await ask(500)
  expect(tallyOf(url)).toEqual({ requests: { answered: 2, limited: 0, failed: 0 }, isFailing: false })
  await expect(ask(429)).rejects.toThrow('limits our requests')
  await ask(503)
  expect(tallyOf(url)).toEqual({ requests: { answered: 2, limited: 1, failed: 1 }, isFailing: true })
  await ask(200)
  expect(tallyOf(`${url}/`)).toMatchObject({ isFailing: false })
})

test('a provider that does not answer has failed; one that we closed has not', async () => {
  const url = await serve(() => 200)
  const http = createProviderHttp(url)
  server?.close()
  await expect(http.request({ what: 'tip', body: '{}', timeoutMs: 5_000 })).rejects.toThrow('ECONNREFUSED')
  http.close()
  await expect(http.request({ what: 'tip', body: '{}', timeoutMs: 5_000 })).rejects.toThrow('closed')
  expect(tallyOf(url)).toEqual({ requests: { answered: 0, limited: 0, failed: 1 }, isFailing: true })
})
