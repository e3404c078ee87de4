/** Tests that webhooks are sent to public addresses only. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { isPublicAddress, sendMessage, urlProblem } from './send.ts'

test('private, loopback, link-local and embedded addresses are not public', () => {
  const hidden = [
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '255.255.255.255',
    '224.0.0.1',
  ]
  hidden.push(
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    'fe80::1',
    'fd00::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:db8::1',
    'ff02::1',
  )
  expect(hidden.filter(isPublicAddress)).toEqual([])
  expect(['8.8.8.8', '172.32.0.1', '2606:4700::1111'].filter(isPublicAddress)).toHaveLength(3)
})

test('a URL must be public and use TLS, however its address is written, unless the operator allows it', () => {
  const refused = [
    'http://example.com',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
  ]
  for (const url of [...refused, 'ftp://example.com', 'https://user:pass@example.com', 'nothing'])
    expect(urlProblem(url, false), url).not.toBeNull()
  expect(urlProblem('https://hooks.example.com/x', false)).toBeNull()
  expect(urlProblem('http://127.0.0.1:3000', true)).toBeNull()
})

test('a name is resolved once and checked: an answer that has a private address is refused, and nothing is sent', async () => {
  let calls = 0
  const server = createServer((_request, response) => {
    calls += 1
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const asked: string[] = []
  const resolve = async (host: string) => {
    asked.push(host)
    return ['8.8.8.8', '127.0.0.1']
  }
  const message = { headers: {}, body: '{}' }
  const answer = await sendMessage({ ...message, url: `https://rebind.example:${port}/`, allowPrivate: false, resolve })
  expect(answer).toEqual({ ok: false, error: 'rebind.example has the address 127.0.0.1, which is not public' })
  // The connection goes to the address that was checked: this name exists nowhere else.
  const local = async () => ['127.0.0.1']
  expect(await sendMessage({ ...message, url: `http://nowhere.invalid:${port}/`, allowPrivate: true, resolve: local })).toMatchObject({
    ok: true,
  })
  expect([asked, calls]).toEqual([['rebind.example'], 1])
  server.close()
})
