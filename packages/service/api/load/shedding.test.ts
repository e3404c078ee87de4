/** Tests which requests a busy process refuses. */
import { type AddressInfo, connect, type Socket } from 'node:net'
import { createOperatorToken } from '@tandem/party/store/operators/tokens.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { btc, orderBody, sharedService, startTestService, wbtc } from '../../testing/service.fixture.ts'
import { createCallerCosts } from './caller-costs.ts'
import { type LoadMonitor, startLoadMonitor } from './load-monitor.ts'
import { shedLoad } from './shedding.ts'

const service = sharedService()
let [id, token] = ['', '']
beforeAll(async () => {
  const { body } = await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
  id = (body.result as { order_id: string }).order_id
  token = await createOperatorToken(service.db, 'ann', false)
})
afterEach(() => service.reset())

type Request = readonly [method: string, path: string]
const newSwaps: readonly Request[] = [
  ['GET', `/v2/quote?from=${btc}&to=${wbtc}&from_amount=1000000`],
  ['POST', '/v2/orders'],
]
const otherRequests: readonly Request[] = [
  ['GET', '/v2/orders'],
  ['GET', '/v2/assets'],
  ['GET', '/v2/events'],
  ['GET', '/openapi.json'],
  ['GET', '/docs'],
  ['GET', '/nowhere'],
]
const always = (): readonly Request[] => [
  ['GET', `/v2/orders/${id}`],
  ['GET', `/v2/orders/${id}/funding`],
  ['GET', `/v2/orders/${id}/instant-refund-hash`],
  ['PATCH', `/v2/orders/${id}?action=refund`],
  ['PATCH', `/v2/orders/${id}?action=instant-refund`],
  ['PATCH', `/v2/orders/${id}?action=redeem`],
  ['GET', '/livez'],
  ['GET', '/readyz'],
  ['GET', '/operator/api/overview'],
]

async function ask([method, path]: Request, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { 'service-app-id': service.appId, ...headers, ...(method !== 'GET' && { 'content-type': 'application/json' }) },
    ...(method !== 'GET' && { body: '{"no": JSON' }),
  })
  return { path, status: response.status, text: await response.text(), headers: response.headers }
}

const statuses = (requests: readonly Request[]) => Promise.all(requests.map(async (request) => (await ask(request)).status))

describe('a busy process', () => {
  test('refuses lists, streams and documents first: 503 with Retry-After in the envelope, before the app is looked up', async () => {
    service.world.load = 1
    for (const request of otherRequests) {
      const { path, status, headers, text } = await ask(request, { 'service-app-id': 'unknown' })
      expect({ path, status, retryAfter: headers.get('retry-after') }).toEqual({ path, status: 503, retryAfter: '5' })
      expect(JSON.parse(text)).toMatchObject({
        status: 'Error',
        code: 'chain_unavailable',
        result: null,
        error: 'busy: only quotes, new orders and requests about one order are answered now; try again in 5 seconds',
      })
    }
    expect(await statuses([...newSwaps, ...always()])).not.toContain(503)
  })

  test('at the higher level also new swaps, before anything is parsed or asked, and never what concerns one order', async () => {
    service.world.load = 2
    const asked = service.solver.quoted.length
    for (const request of newSwaps)
      expect(JSON.parse((await ask(request, { 'service-app-id': 'unknown' })).text)).toMatchObject({
        code: 'chain_unavailable',
        error: 'busy: no new swap starts now; try again in 2 seconds',
      })
    expect(service.solver.quoted.length).toBe(asked)
    for (const request of [...newSwaps, ...otherRequests]) {
      const { path, status, headers } = await ask(request)
      expect({ path, status }).toEqual({ path, status: 503 })
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(await ask(['GET', `/v2/orders/${id}`])).toMatchObject({ status: 200 })
    expect(await statuses(always())).toEqual([200, 200, 200, 400, 400, 400, 200, 200, 401])
  })

  test('a web page can read the refusal', async () => {
    service.world.load = 2
    const { headers } = await ask(['GET', '/v2/quote'], { origin: 'https://shop.example' })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-expose-headers')).toContain('retry-after')
  })

  test('counts requests in progress that it may refuse, until they are answered or the client hangs up', async () => {
    const client = new AbortController()
    let answer = () => {}
    const delay = new Promise<void>((resolve) => {
      answer = resolve
    })
    for (const solver of [service.solver, service.secondSolver]) solver.delay = delay
    const [[, path] = ['', '']] = newSwaps
    const asked = fetch(`${service.url}${path}`, { headers: { 'service-app-id': service.appId }, signal: client.signal })
    await expect.poll(() => service.solver.quoted.length).toBe(1)
    await statuses([['GET', '/v2/orders'], ...always()])
    expect(service.world.inFlight).toBe(1)
    client.abort()
    await expect(asked).rejects.toThrow('aborted')
    await expect.poll(() => service.world.inFlight).toBe(0)
    answer()
  })

  test('the metrics count refusals by kind', async () => {
    service.world.load = 2
    const [swaps, others] = await readRefused()
    await statuses([...newSwaps, ['GET', '/docs']])
    expect(await readRefused()).toEqual([swaps + 2, others + 1])
  })
})

describe('who causes the load', () => {
  const busy = opened(() =>
    startTestService({ environment: 'local', trustedProxies: ['127.0.0.1'], quoteCacheMs: 60_000, appCacheMs: 60_000 }),
  )

  const from = (network: number) => ({ headers: { 'x-forwarded-for': `203.0.${network}.1` } })
  const quote = `/v2/quote?from=${btc}&to=${wbtc}&from_amount=1000000`

  test('is refused first, also for repeated quotes and new orders; the swaps of all others go on', async () => {
    for (let lists = 0; lists < 4; lists += 1)
      expect(await busy.call('GET', '/v2/orders?per_page=500', from(1))).toMatchObject({ status: 200 })
    for (const user of [2, 3]) expect(await busy.call('GET', quote, from(user))).toMatchObject({ status: 200 })
    busy.world.load = 1
    const refused = { status: 503, body: { error: expect.stringContaining('your network asks for far more than others') } }
    expect(await busy.call('GET', quote, from(1))).toMatchObject(refused)
    expect(await busy.call('POST', '/v2/orders', { ...from(1), body: orderBody(btc, wbtc) })).toMatchObject(refused)
    for (const user of [2, 3, 4]) {
      expect(await busy.call('GET', quote, from(user))).toMatchObject({ status: 200 })
      expect(await busy.call('POST', '/v2/orders', { ...from(user), body: orderBody(btc, wbtc) })).toMatchObject({ status: 200 })
    }
    busy.world.load = 0
    expect(await busy.call('GET', quote, from(1))).toMatchObject({ status: 200 })
  })
})

describe('requests in progress', () => {
  const MORE_THAN_BUFFERS = 'x'.repeat(32 * 2 ** 20)
  let server: FastifyInstance
  let load: LoadMonitor
  const arrived: string[] = []
  const sockets: Socket[] = []

  beforeAll(async () => {
    load = startLoadMonitor()
    server = fastify()
    shedLoad(server, { load, costs: createCallerCosts(), onRefused: () => undefined })
    server.addHook('onRequest', async ({ url }) => {
      arrived.push(url)
    })
    server.post('/v2/orders', async () => 'made')
    server.get('/docs', async () => MORE_THAN_BUFFERS)
    await server.listen({ port: 0 })
  })
  afterAll(async () => {
    for (const socket of sockets) socket.destroy()
    load.stop()
    await server.close()
  })

  function send(text: string): void {
    const socket = connect((server.server.address() as AddressInfo).port)
    sockets.push(socket.pause())
    socket.write(text)
  }

  test('are not those whose client sends slowly or does not read: strangers could make a process look busy for free', async () => {
    for (const path of ['/nowhere', '/v2/orders'])
      send(`POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`)
    send('GET /docs HTTP/1.1\r\nhost: a\r\n\r\n')
    await expect.poll(() => arrived.toSorted()).toEqual(['/docs', '/nowhere', '/v2/orders'])
    await expect.poll(() => load.read().inFlight).toBe(0)
  })
})

async function readRefused(): Promise<readonly [number, number]> {
  const text = String((await service.raw('/metrics', { authorization: `Bearer ${token}` })).body)
  const of = (what: string) => Number(new RegExp(`tandem_shed_requests_total\\{what="${what}"\\} (\\d+)`).exec(text)?.[1] ?? Number.NaN)
  return [of('new swaps'), of('other requests')]
}
