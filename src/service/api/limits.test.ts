import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { setAppDisabled, updateApp } from '../../store/apps/apps.ts'
import { btc, orderBody, startTestService, type TestService, wbtc } from '../testing/service.fixture.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService({ environment: 'local', rateLimitPerMinute: 3 })
})
afterEach(() => service.close())

const rival = () => ({ headers: { 'service-app-id': service.otherAppId } })

test('an app over its rate limit gets Retry-After; other apps are not affected', async () => {
  for (const remaining of [2, 1, 0]) {
    const { status, headers } = await service.call('GET', '/v2/policy')
    expect({ status, limit: headers.get('ratelimit-limit'), remaining: headers.get('ratelimit-remaining') }).toEqual({
      status: 200,
      limit: '3',
      remaining: String(remaining),
    })
    expect(Number(headers.get('ratelimit-reset'))).toBeGreaterThan(0)
  }
  const before = await service.countRows()
  const refused = await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
  expect(refused).toMatchObject({ status: 429, body: { status: 'Error', result: null, code: 'rate_limited' } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await service.countRows()).toEqual(before)
  expect(await service.call('GET', '/v2/policy', rival())).toMatchObject({ status: 200 })
})

test("an app's own rate limit overrides the operator's", async () => {
  await updateApp(service.db, 'rival', { rateLimitPerMinute: 1 })
  expect((await service.call('GET', '/v2/policy', rival())).headers.get('ratelimit-limit')).toBe('1')
  expect(await service.call('GET', '/v2/policy', rival())).toMatchObject({ status: 429 })
})

test('an app may only do what its permissions list', async () => {
  await updateApp(service.db, 'shop', { permissions: ['read'] })
  const refused = { status: 403, body: { code: 'forbidden', error: expect.stringContaining('trade') } }
  expect(await service.call('GET', '/v2/policy')).toMatchObject({ status: 200 })
  expect(await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })).toMatchObject(refused)
  expect(await service.call('PATCH', `/v2/orders/${'0'.repeat(64)}?action=refund`, { body: {} })).toMatchObject(refused)
  await updateApp(service.db, 'shop', { permissions: ['trade'] })
  expect(await service.call('GET', '/v2/policy')).toMatchObject({ status: 403, body: { error: expect.stringContaining('read') } })
})

test("an app's settings are cached for appCacheMs", async () => {
  const caching = await startTestService({ environment: 'local', appCacheMs: 60_000 })
  try {
    expect(await caching.call('GET', '/v2/policy')).toMatchObject({ status: 200 })
    await setAppDisabled(caching.db, 'shop', true)
    expect(await caching.call('GET', '/v2/policy')).toMatchObject({ status: 200 })
  } finally {
    await caching.close()
  }
  await setAppDisabled(service.db, 'shop', true)
  expect(await service.call('GET', '/v2/policy')).toMatchObject({ status: 401 })
})

test('equal quote requests within the cache time cost the solvers one request', async () => {
  const caching = await startTestService({ environment: 'local', quoteCacheMs: 60_000 })
  try {
    const ask = (query: string) => caching.call('GET', `/v2/quote?from=${btc}&to=${wbtc}&${query}`)
    const [first, second] = [await ask('from_amount=1000000'), await ask('from_amount=1000000')]
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(caching.solver.quoted).toHaveLength(1)
    expect((await ask('from_amount=1000000&slippage=50')).body.result).toMatchObject([{ slippage: 50 }, { slippage: 50 }])
    for (const other of [
      'from_amount=1000001',
      'to_amount=1000000',
      'from_amount=1000000&affiliate_fee=1',
      'from_amount=1000000&indicative=true',
    ])
      expect(await ask(other)).toMatchObject({ status: 200 })
    expect(caching.solver.quoted).toHaveLength(6)
  } finally {
    await caching.close()
  }
})

test('closing waits for running requests and answers them', async () => {
  const other = await startTestService()
  let answer = (): void => undefined
  const reached = new Promise<void>((resolve) => {
    other.solver.onQuote = () => {
      resolve()
      return { status: 200, body: 'slow' }
    }
    other.secondSolver.delay = new Promise<void>((proceed) => {
      answer = proceed
    })
  })
  const asked = other.call('GET', `/v2/quote?from=${btc}&to=${wbtc}&from_amount=1000000`)
  await reached
  const closed = other.close()
  await sleep(50)
  answer()
  const reply = await asked
  expect(reply).toMatchObject({ status: 200, body: { status: 'Ok' } })
  expect(reply.headers.get('connection')).toBe('close')
  await closed
})

test('a header that is too large is refused', async () => {
  const { port } = new URL(service.url)
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(`GET / HTTP/1.1\r\nhost: x\r\na: ${'x'.repeat(100_000)}\r\n\r\n`))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer).toContain('"code":"bad_request"')
})
