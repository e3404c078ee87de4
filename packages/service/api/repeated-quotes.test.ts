/** Tests that a repeated quote is answered and counted like the first. */
import { createOperatorToken } from '@tandem/party/store/operators/tokens.ts'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { expect, test } from 'vitest'
import { quoteOf } from '../testing/fake-solver.fixture.ts'
import { btc, startTestService, type TestService, wbtc } from '../testing/service.fixture.ts'

const service = openedForEach(() =>
  startTestService({ environment: 'local', quoteCacheMs: 60_000, appCacheMs: 60_000, rateLimitPerMinute: 4 }),
)

const ask = (headers: Readonly<Record<string, string>> = {}, query = 'from_amount=1000000') =>
  service.call('GET', `/v2/quote?from=${btc}&to=${wbtc}&${query}`, { headers })

const varying = ['request-id', 'ratelimit-remaining', 'ratelimit-reset', 'date']

test('a repeated quote has the answer and the headers of the first, and counts against the rate limit', async () => {
  const answers = [await ask(), await ask(), await ask(), await ask()]
  const [first] = answers
  for (const { status, body, headers } of answers) {
    expect({ status, body }).toEqual({ status: 200, body: first?.body })
    const fixed = (all: Headers | undefined) => [...(all ?? [])].filter(([name]) => !varying.includes(name))
    expect(fixed(headers)).toEqual(fixed(first?.headers))
  }
  expect(answers.map(({ headers }) => headers.get('ratelimit-remaining'))).toEqual(['3', '2', '1', '0'])
  expect(new Set(answers.map(({ headers }) => headers.get('request-id'))).size).toBe(4)
  expect(await ask()).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  expect(service.solver.quoted).toHaveLength(1)
})

test('a repeated quote counts against the limit of its address, also behind a trusted proxy', async () => {
  const quoteOf = async (other: TestService, client: string) =>
    (await other.call('GET', `/v2/quote?from=${btc}&to=${wbtc}&from_amount=1000000`, { headers: { 'x-forwarded-for': client } })).status
  const options = { environment: 'local', quoteCacheMs: 60_000, appCacheMs: 60_000, addressLimitPerMinute: 3 } as const
  const proxied = await startTestService({ ...options, trustedProxies: ['127.0.0.0/8'] })
  const direct = await startTestService(options)
  try {
    const ask = (client: string) => quoteOf(proxied, client)
    expect([await ask('192.0.2.1'), await ask('192.0.2.1'), await ask('192.0.2.1'), await ask('192.0.2.1')]).toEqual([200, 200, 200, 429])
    expect([await ask('192.0.2.2'), await ask('192.0.2.2, 192.0.2.1')]).toEqual([200, 429])
    expect(proxied.solver.quoted).toHaveLength(1)
    const named = ['1', '2', '3', '4'].map((last) => () => quoteOf(direct, `192.0.2.${last}`))
    const answers: number[] = []
    for (const one of named) answers.push(await one())
    expect(answers).toEqual([200, 200, 200, 429])
  } finally {
    await Promise.all([proxied.close(), direct.close()])
  }
})

test('a repeated quote is one of the answered requests of the metrics', async () => {
  const token = await createOperatorToken(service.db, 'ann', false)
  await ask()
  await ask()
  await ask()
  const { body } = await service.raw('/metrics', { authorization: `Bearer ${token}` })
  expect(body.toString()).toContain('tandem_http_requests_total{method="GET",route="/v2/quote",status="200"} 3')
  expect(service.solver.quoted).toHaveLength(1)
})

test('a repeated quote is refused as a first one is', async () => {
  expect(await ask()).toMatchObject({ status: 200 })
  expect(await ask({ 'service-app-id': '0'.repeat(64) })).toMatchObject({ status: 401 })
  service.world.overloaded = true
  expect(await ask()).toMatchObject({ status: 503 })
  service.world.overloaded = false
  expect(await ask()).toMatchObject({ status: 200 })
  expect(service.solver.quoted).toHaveLength(1)
})

test('each app has its own answers, and web pages get the headers that let them read it', async () => {
  await ask()
  expect(await ask({ 'service-app-id': service.otherAppId })).toMatchObject({ status: 200 })
  expect(service.solver.quoted).toHaveLength(2)
  const ofPage = await ask({ origin: 'https://shop.example' })
  expect(ofPage.headers.get('vary')).toBe('origin')
  expect((await ask({}, 'from_amount=1000000&explain=true')).status).toBe(403)
})

test('a repeat with other letters than ASCII has the bytes of the first', async () => {
  service.solver.onQuote = (request) => ({ status: 200, body: { ...quoteOf('first', request), quote_id: 'Zürich → Genève' } })
  const quotes = [await ask({}, 'from_amount=1000000&indicative=true'), await ask({}, 'from_amount=1000000&indicative=true')]
  for (const { body } of quotes)
    expect(body).toMatchObject({ result: expect.arrayContaining([expect.objectContaining({ quote_id: 'Zürich → Genève' })]) })
  expect(service.solver.quoted).toHaveLength(1)
})
