/** Tests what every endpoint has in common: app ids, origins, methods and errors. */
import { connect } from 'node:net'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { makeReadOnly } from '../../../test/database.ts'
import { btc, orderBody, sharedService, startTestService, wbtc } from '../testing/service.fixture.ts'

const service = sharedService()
const strict = sharedService({ environment: 'production', appIdHeaders: ['service-app-id', 'x-app'] })
beforeAll(async () => {
  await strict.db
    .updateTable('apps')
    .set({ allowed_origins: ['https://shop.example'] })
    .where('name', '=', 'shop')
    .execute()
})
afterEach(() => {
  service.reset()
  strict.reset()
})

test('every /v2 path refuses a missing or unknown app id', async () => {
  const missing = { status: 'Error', error: expect.stringContaining('service-app-id'), result: null, code: 'unauthorized' }
  for (const path of ['/v2/chains', '/v2/quote', `/v2/orders/${'0'.repeat(64)}`]) {
    const response = await fetch(`${service.url}${path}`)
    expect({ status: response.status, body: await response.json() }).toEqual({ status: 401, body: missing })
  }
  for (const id of ['', 'x', '0'.repeat(64), `${service.appId}0`, `${service.appId}, ${service.appId}`, '\u00e9'.repeat(64)]) {
    expect(await service.call('GET', '/v2/chains', { headers: { 'service-app-id': id } })).toMatchObject({ status: 401, body: missing })
  }
})

test('accepts the app id in every header that the operator lists; refuses a disabled app', async () => {
  const get = (url: string, headers: Record<string, string>) => fetch(`${url}/v2/chains`, { headers })
  expect((await get(strict.url, { 'x-app': strict.appId })).status).toBe(200)
  expect((await get(service.url, { 'x-app': service.appId })).status).toBe(401)
  await strict.db.updateTable('apps').set({ disabled: true }).where('name', '=', 'rival').execute()
  expect((await get(strict.url, { 'x-app': strict.otherAppId })).status).toBe(401)
})

test('allows every web origin locally; elsewhere only those that the app lists', async () => {
  const preflight = (url: string, origin: string) =>
    fetch(`${url}/v2/orders`, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } })
  const local = await preflight(service.url, 'https://any.example')
  expect(local.headers.get('access-control-allow-origin')).toBe('https://any.example')
  expect(local.headers.get('access-control-allow-headers')).toContain('service-app-id')
  expect((await preflight(strict.url, 'https://shop.example')).headers.get('access-control-allow-origin')).toBe('https://shop.example')
  expect((await preflight(strict.url, 'https://any.example')).headers.get('access-control-allow-origin')).toBe(null)
  expect(await strict.call('GET', '/v2/chains', { headers: { origin: 'https://shop.example' } })).toMatchObject({ status: 200 })
  expect(await strict.call('GET', '/v2/chains', { headers: { origin: 'https://any.example' } })).toMatchObject({
    status: 403,
    body: { code: 'forbidden' },
  })
})

test('names the methods that a path has', async () => {
  const allowed = async (method: string, path: string) => (await service.call(method, path)).headers.get('allow')
  expect(await allowed('DELETE', '/v2//orders?page=1')).toBe('GET, HEAD, POST')
  expect(await allowed('PUT', `/v2/orders/${'0'.repeat(64)}`)).toBe('GET, HEAD, PATCH')
  expect(await allowed('POST', '/v2/nothing')).toBe(null)
})

test.each<[string, string, string, { raw?: string; headers?: Record<string, string> }, number, string]>([
  ['an unknown path', 'GET', '/v2/nothing', {}, 404, 'not_found'],
  ['an unknown root', 'GET', '/nothing-here', {}, 404, 'not_found'],
  ['a method that the path does not have', 'DELETE', '/v2/orders', {}, 405, 'method_not_allowed'],
  ['another such method', 'PUT', '/v2/quote', { raw: '{}' }, 405, 'method_not_allowed'],
  ['an unknown order', 'GET', `/v2/orders/${'0'.repeat(64)}`, {}, 404, 'not_found'],
  ['a malformed order id', 'GET', '/v2/orders/1', {}, 404, 'not_found'],
  ['an order id with a zero byte', 'GET', '/v2/orders/%00', {}, 400, 'bad_request'],
  ['an overlong order id', 'GET', `/v2/orders/${'0'.repeat(500)}`, {}, 404, 'not_found'],
  ['a path that is not UTF-8', 'GET', '/v2/orders/%ff', {}, 400, 'bad_request'],
  ['broken JSON', 'POST', '/v2/orders', { raw: '{"source":' }, 400, 'bad_request'],
  ['no JSON', 'POST', '/v2/orders', { raw: 'hello' }, 400, 'bad_request'],
  ['a poisoned prototype', 'POST', '/v2/orders', { raw: '{"__proto__":{"a":1}}' }, 400, 'bad_request'],
  ['plain text', 'POST', '/v2/orders', { raw: '{}', headers: { 'content-type': 'text/plain' } }, 415, 'unsupported_media_type'],
  [
    'a form',
    'POST',
    '/v2/orders',
    { raw: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    415,
    'unsupported_media_type',
  ],
  ['10 MB', 'POST', '/v2/orders', { raw: JSON.stringify({ a: 'x'.repeat(10_000_000) }) }, 413, 'payload_too_large'],
])('%s is answered in the envelope', async (_name, method, path, call, status, code) => {
  const before = await service.countRows()
  const reply = await service.call(method, path, call)
  expect(reply.status).toBe(status)
  expect(reply.body).toEqual({ status: 'Error', error: expect.any(String), result: null, code })
  expect(reply.headers.get('request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(await service.countRows()).toEqual(before)
})

test('answers bytes that are not HTTP with the envelope', async () => {
  const { port } = new URL(service.url)
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write('hello there\r\n\r\n'))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ status: 'Error', code: 'bad_request' })
})

test('ignores duplicate slashes in a path', async () => {
  const { status } = await service.raw('//v2//chains', {})
  expect(status).toBe(200)
})

test('an internal error returns only an id, which is also in the log', async () => {
  Object.assign(service.chains.get('bitcoin_regtest') ?? {}, { failure: new Error('private detail') })
  const reply = await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
  expect(reply).toMatchObject({ status: 500, body: { status: 'Error', result: null, code: 'internal' } })
  expect(reply.body.error).not.toContain('private detail')
  const id = /[0-9a-f-]{36}/.exec(reply.body.error ?? '')?.[0] ?? 'no id'
  const line = service.logged.find((text) => text.includes(id)) ?? ''
  expect(JSON.parse(line)).toMatchObject({ err: { message: 'private detail' }, method: 'POST' })
})

test('a database that cannot be written is named by /readyz and /health, and fails orders with 503', async () => {
  const broken = await startTestService()
  await makeReadOnly(broken.databaseUrl)
  const ready = await fetch(`${broken.url}/readyz`)
  expect([ready.status, await ready.json()]).toMatchObject([503, { error: expect.stringContaining('read-only') }])
  const refused = { status: 503, body: { code: 'chain_unavailable', error: expect.stringMatching(/read-only|does not answer/) } }
  expect(await broken.call('GET', '/v2/health')).toMatchObject(refused)
  const order = await broken.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
  expect(order).toMatchObject(refused)
  expect(Number(order.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(broken.logged.join('')).not.toContain('unexpectedly')
  await broken.close()
})

test('slow requests end soon after the time limit', () => {
  const { server } = service
  const timer = Object.getOwnPropertySymbols(server).find(({ description }) => description === 'http.server.connectionsCheckingInterval')
  expect(Reflect.get(Reflect.get(server, timer ?? ''), '_repeat')).toBeLessThanOrEqual(5_000)
  expect(server.requestTimeout).toBe(30_000)
})

test('a client that hangs up in its body leaves no error behind', async () => {
  const { port } = new URL(service.url)
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      const head = `POST /v2/orders HTTP/1.1\r\nhost: x\r\nservice-app-id: ${service.appId}\r\ncontent-type: application/json\r\ncontent-length: 100`
      socket.write(`${head}\r\n\r\n{"half`, () => setTimeout(() => socket.destroy(), 200))
    })
    socket.on('close', () => resolve())
  })
  await expect.poll(async () => (await service.call('GET', '/v2/policy')).status).toBe(200)
  expect(service.logged.join('')).not.toContain('unexpectedly')
})

test('/livez and /readyz need no app id; /readyz needs the database and a chain', async () => {
  const get = async (path: string) => {
    const response = await fetch(`${service.url}${path}`)
    return { status: response.status, body: await response.json() }
  }
  expect(await get('/livez')).toEqual({ status: 200, body: { status: 'Ok', error: null, result: 'alive' } })
  expect(await get('/readyz')).toMatchObject({ status: 200 })
  for (const chain of service.chains.keys()) service.world.unreachable.add(chain)
  expect(await get('/readyz')).toMatchObject({ status: 503, body: { code: 'chain_unavailable' } })
})
