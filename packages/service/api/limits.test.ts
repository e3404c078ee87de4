/** Tests the rate limits of apps, addresses and networks. */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setAppDisabled, updateApp } from '@tandem/party/store/apps/apps.ts'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { describe, expect, test } from 'vitest'
import { btc, orderBody, startTestService, wbtc } from '../testing/service.fixture.ts'

const service = openedForEach(() => startTestService({ environment: 'local', rateLimitPerMinute: 3 }))

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

test('users of an app get their refunds although somebody uses up the limit of the app', async () => {
  const { order_id: id, order_token: token } = (await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })).body.result as {
    readonly order_id: string
    readonly order_token: string
  }
  for (let calls = 0; calls < 3; calls += 1) await service.call('GET', '/v2/policy')
  const refund = (body: object, headers: Readonly<Record<string, string>> = {}) =>
    service.call('PATCH', `/v2/orders/${id}?action=refund`, { body, headers })
  expect(await refund({})).toMatchObject({ status: 429 })
  expect(await refund({ order_token: token })).toMatchObject({ status: 409 })
  const answer = await refund({}, { 'order-token': token })
  expect(answer).toMatchObject({ status: 409 })
  expect(answer.headers.get('ratelimit-remaining')).toBe('58')
  for (let calls = 0; calls < 58; calls += 1) await refund({ order_token: token })
  expect(await refund({ order_token: token })).toMatchObject({
    status: 429,
    body: { error: expect.stringContaining('with this order token') },
  })
  expect(await refund({ order_token: 'another' })).not.toMatchObject({ status: 429 })
})

test('a list counts by the length of its page, for its app and its address', async () => {
  const other = await startTestService({ environment: 'local', rateLimitPerMinute: 100, addressLimitPerMinute: 110 })
  try {
    const list = (perPage: string, headers = {}) => other.call('GET', `/v2/orders?per_page=${perPage}`, { headers })
    const left = async (perPage: string) => (await list(perPage)).headers.get('ratelimit-remaining')
    expect([await left('10'), await left('11'), await left('500')]).toEqual(['99', '97', '47'])
    expect(await list('500')).toMatchObject({ status: 429, body: { error: expect.stringContaining('more than 100 requests') } })
    // The address has counted these before they are refused: 103 of 110.
    expect(await list('80', { 'service-app-id': other.otherAppId })).toMatchObject({
      status: 429,
      body: { error: expect.stringContaining('your address') },
    })
  } finally {
    await other.close()
  }
})

test("one network cannot use up an app's limit: others get an equal part of it", async () => {
  const other = await startTestService({ environment: 'local', rateLimitPerMinute: 12, trustedProxies: ['127.0.0.1'] })
  try {
    const ask = async (address: string) => (await other.call('GET', '/v2/policy', { headers: { 'x-forwarded-for': address } })).status
    const served = async (address: string, calls: number) => {
      let count = 0
      for (let call = 0; call < calls; call += 1) if ((await ask(address)) === 200) count += 1
      return count
    }
    expect(await served('203.0.113.1', 14)).toBe(12)
    expect(await served('203.0.113.2', 3)).toBe(0)
    expect(await served('192.0.2.1', 14)).toBe(6)
    expect(await served('198.51.100.1', 14)).toBe(4)
    expect(await served('203.0.113.1', 3)).toBe(0)
  } finally {
    await other.close()
  }
})

describe('an address', () => {
  const limited = { status: 429, body: { code: 'rate_limited', error: expect.stringContaining('your address') } }

  test('that names unknown apps is refused before the look-up', async () => {
    const other = await startTestService({ environment: 'local', addressLimitPerMinute: 200 })
    try {
      const ask = (id: string) => other.call('GET', '/v2/policy', { headers: { 'service-app-id': id } })
      for (let calls = 0; calls < 4; calls += 1) expect(await ask(String(calls).repeat(64))).toMatchObject({ status: 401 })
      const refused = await ask('9'.repeat(64))
      expect(refused).toMatchObject(limited)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    } finally {
      await other.close()
    }
  })

  test('has a limit over all apps, told apart behind a proxy that is trusted, and only there', async () => {
    const other = await startTestService({ environment: 'local', addressLimitPerMinute: 10, trustedProxies: ['127.0.0.1'] })
    try {
      const ask = (client: string) => other.call('GET', '/v2/policy', { headers: { 'x-forwarded-for': client } })
      for (let calls = 0; calls < 10; calls += 1) expect(await ask('192.0.2.1')).toMatchObject({ status: 200 })
      expect(await ask('192.0.2.1')).toMatchObject(limited)
      // The client may write the beginning of the header, but not its end.
      expect(await ask('192.0.2.9, 192.0.2.1')).toMatchObject(limited)
      expect(await ask('192.0.2.2')).toMatchObject({ status: 200 })
    } finally {
      await other.close()
    }
    const direct = await startTestService({ environment: 'local', addressLimitPerMinute: 10 })
    try {
      const ask = (client: string) => direct.call('GET', '/v2/policy', { headers: { 'x-forwarded-for': client } })
      for (let calls = 0; calls < 10; calls += 1) await ask(`192.0.2.${calls}`)
      expect(await ask('192.0.2.99')).toMatchObject(limited)
    } finally {
      await direct.close()
    }
  })

  test('that loads documents again and again is refused', async () => {
    const other = await startTestService({ environment: 'local', addressLimitPerMinute: 45 })
    try {
      const ask = async (path: string) => (await other.raw(path, {})).status
      for (const path of ['/openapi.json', '/docs/search.json', '/llms-full.txt', '/rescue/copy.html'])
        expect([path, await ask(path)]).toEqual([path, 200])
      for (const path of [
        '/openapi.json',
        '/docs/search.json',
        '/llms-full.txt',
        '/docs',
        '/docs/search?q=a',
        '/rescue/copy.html',
        '/rescue',
      ])
        expect([path, await ask(path)]).toEqual([path, 429])
      expect(await other.call('GET', '/v2/policy')).toMatchObject(limited)
    } finally {
      await other.close()
    }
  })

  test('that polls one order uses up nothing of the app, and reads it when others have used up the app', async () => {
    const other = await startTestService({ environment: 'local', rateLimitPerMinute: 3, orderLimitPerMinute: 10 })
    try {
      const { body } = await other.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
      const { order_id: id } = body.result as { readonly order_id: string }
      for (const remaining of ['1', '0']) expect((await other.call('GET', '/v2/policy')).headers.get('ratelimit-remaining')).toBe(remaining)
      expect(await other.call('GET', '/v2/policy')).toMatchObject({ status: 429 })
      const ask = () => other.call('GET', `/v2/orders/${id}`)
      const first = await ask()
      expect([first.status, first.headers.get('ratelimit-limit'), first.headers.get('ratelimit-remaining')]).toEqual([200, '10', '9'])
      for (let calls = 1; calls < 10; calls += 1) expect(await ask()).toMatchObject({ status: 200 })
      expect(await ask()).toMatchObject({ status: 429, body: { error: expect.stringContaining('for this order') } })
      // This route asks nodes, so it counts like other requests.
      expect(await other.call('GET', `/v2/orders/${id}/funding`)).toMatchObject({ status: 429 })
    } finally {
      await other.close()
    }
  })

  test('that guesses ids of orders is refused soon', async () => {
    const other = await startTestService({ environment: 'local', addressLimitPerMinute: 50 })
    try {
      const guess = (digit: number) => other.call('GET', `/v2/orders/${String(digit).repeat(64)}`)
      for (let digit = 0; digit < 5; digit += 1) expect(await guess(digit)).toMatchObject({ status: 404 })
      expect(await guess(5)).toMatchObject(limited)
    } finally {
      await other.close()
    }
  })
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
