/** The operator's endpoints: who gets in, what a page of another origin cannot do, and what an order's page says. */

import { createOperatorToken, revokeOperatorToken } from '@tandem/party/store/operators/tokens.ts'
import { createValidHashes } from '@tandem/party/store/operators/valid-hashes.ts'
import { storedOrder } from '@tandem/party/store/store.fixture.ts'
import type { OrderPageRecord, OrderRowsRecord, OverviewRecord, SearchRecord } from '@tandem/protocol/wire/operator.ts'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { btc, eventsOf, NOW, orderBody, sharedService, startTestService, wbtc } from '../testing/service.fixture.ts'
import { createLoginLimit } from './authentication.ts'

const service = sharedService()
let reader: string
let writer: string
beforeAll(async () => {
  reader = await createOperatorToken(service.db, 'reader', false)
  writer = await createOperatorToken(service.db, 'writer', true)
})
beforeEach(() => service.reset())

const API = '/operator/api'

async function login(token: string) {
  const reply = await service.call('POST', `${API}/login`, { body: { token } })
  const header = reply.headers.get('set-cookie') ?? ''
  const session = reply.body.result as { csrf_token: string; may_write: boolean } | null
  return { reply, header, cookie: header.split(';')[0] ?? '', csrf: session?.csrf_token ?? '', session }
}

const get = async <T>(path: string, token = reader): Promise<T> => {
  const { status, body } = await service.call('GET', `${API}${path}`, { headers: { authorization: `Bearer ${token}` } })
  expect(status, body.error ?? '').toBe(200)
  return body.result as T
}

async function makeOrder() {
  const { body } = await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
  const { order_id } = body.result as { order_id: string }
  return (await storedOrder(service.db, order_id)).order
}

let height = 100n
async function fund() {
  const order = await makeOrder()
  height += 1n
  await service.mine(order.source.chain, { height, time: NOW }, [eventsOf(order.source).initiated(`aa${height}`)])
  await service.mine(order.destination.chain, { height, time: NOW }, [])
  // The reconciler writes the status like this.
  await sql`update order_list set status = 'initiated' where order_id = ${order.id}`.execute(service.db)
  await sql`update status_changes set at = to_timestamp(${Number(NOW)}) where order_id = ${order.id}`.execute(service.db)
  return order
}

describe('the login', () => {
  test('with a token opens a session by a cookie that scripts and other sites do not get', async () => {
    const { reply, header, cookie, session } = await login(reader)
    expect(reply.status).toBe(200)
    expect(header).toMatch(/^tandem_operator=[0-9a-f]{64}; Path=\/operator; Expires=[^;]+; HttpOnly; SameSite=Strict$/)
    expect(session).toMatchObject({ name: 'reader', may_write: false })
    const { status } = await service.call('GET', `${API}/overview`, { headers: { cookie } })
    expect(status).toBe(200)
    const stored = await sql<{ row: string }>`select s::text as row from operator_sessions s`.execute(service.db)
    expect(JSON.stringify(stored.rows)).not.toContain(cookie.split('=')[1])
  })

  test('over TLS the cookie is sent over TLS only', async () => {
    const secure = await startTestService({ environment: 'local', publicUrl: 'https://swap.example' })
    try {
      const token = await createOperatorToken(secure.db, 'ann', false)
      const { headers } = await secure.call('POST', `${API}/login`, { body: { token } })
      expect(headers.get('set-cookie')).toContain('; Secure')
    } finally {
      await secure.close()
    }
  })

  test.each([
    ['no token at all', () => ''],
    ['another secret', () => `${reader.slice(0, -1)}${reader.endsWith('0') ? '1' : '0'}`],
    ['an unknown id', () => `${'0'.repeat(12)}.${reader.split('.')[1]}`],
    ['SQL', () => "' or 1=1 --"],
  ])('is refused with %s, and nothing is set or echoed', async (_, tokenOf) => {
    const { reply, header } = await login(tokenOf())
    expect([reply.status, header]).toEqual([401, ''])
    if (tokenOf() !== '') expect(JSON.stringify(reply.body)).not.toContain(tokenOf())
  })

  test('without a session every endpoint says 401, also with a cookie that nobody was given', async () => {
    const paths = [
      'session',
      'overview',
      'orders',
      'activity',
      'inventory',
      'budgets',
      'problems',
      'search?q=a',
      `orders/${'a'.repeat(64)}`,
    ]
    for (const path of paths) {
      expect((await service.call('GET', `${API}/${path}`)).status, path).toBe(401)
      const headers = { cookie: `tandem_operator=${'ab'.repeat(32)}` }
      expect((await service.call('GET', `${API}/${path}`, { headers })).status, path).toBe(401)
    }
  })

  test('ends with the logout, and with its token', async () => {
    const first = await login(reader)
    const out = await service.call('POST', `${API}/logout`, { headers: { cookie: first.cookie, 'x-csrf-token': first.csrf } })
    expect([out.status, out.headers.get('set-cookie')]).toEqual([200, expect.stringContaining('Expires=Thu, 01 Jan 1970')])
    expect((await service.call('GET', `${API}/session`, { headers: { cookie: first.cookie } })).status).toBe(401)

    const token = await createOperatorToken(service.db, 'gone', false)
    const second = await login(token)
    await revokeOperatorToken(service.db, 'gone')
    expect((await service.call('GET', `${API}/session`, { headers: { cookie: second.cookie } })).status).toBe(401)
    expect((await login(token)).reply.status).toBe(401)
  })

  test('fails only so often from one address, and another address is not locked out', () => {
    let now = 0
    const limit = createLoginLimit(() => now)
    for (let i = 0; i < 20; i += 1) limit.addFailure('192.0.2.1')
    expect(limit.refusalOf('192.0.2.1')?.message).toContain('try again in 60 seconds')
    expect(limit.refusalOf('192.0.2.2')).toBeNull()
    now = 60_000
    expect(limit.refusalOf('192.0.2.1')).toBeNull()
  })

  test('is not locked out by wrong tokens of others at the same address', async () => {
    const shared = await startTestService()
    try {
      const token = await createOperatorToken(shared.db, 'ann', false)
      const [id] = token.split('.')
      const enter = (given: string) => shared.call('POST', `${API}/login`, { body: { token: given } })
      const look = (headers: Readonly<Record<string, string>>) => shared.call('GET', `${API}/session`, { headers })
      const cookie = (await enter(token)).headers.get('set-cookie')?.split(';')[0] ?? ''
      const guesses = Array.from({ length: 20 }, (_, n) => `${id}.${String(n).padStart(64, '0')}`)
      for (const guess of guesses) expect((await enter(guess)).status).toBe(401)

      const wrong = `${id}.${'f'.repeat(64)}`
      const ended = `tandem_operator=${'f'.repeat(64)}`
      expect((await enter(token)).status).toBe(200)
      expect((await enter(wrong)).status).toBe(429)
      expect((await enter('no token')).status).toBe(429)
      expect((await look({ authorization: `Bearer ${wrong}` })).status).toBe(429)
      expect((await look({ cookie: ended })).status).toBe(429)
      expect((await enter(token)).status).toBe(200)
      expect((await look({ authorization: `Bearer ${token}` })).status).toBe(200)
      expect((await look({ cookie })).status).toBe(200)

      await revokeOperatorToken(shared.db, 'ann')
      expect((await enter(token)).status).toBe(401)
      expect((await look({ cookie })).status).toBe(401)
    } finally {
      await shared.close()
    }
  })
})

test('whether a secret is right is read once a second, however many are tried', async () => {
  let now = 0
  const valid = createValidHashes(service.db, () => now)
  expect(await valid.has('0'.repeat(64))).toBe(false)
  const secret = (await createOperatorToken(service.db, 'later', false)).split('.')[1] ?? ''
  now = 999
  expect(await valid.has(secret)).toBe(false)
  now = 1_000
  expect(await valid.has(secret)).toBe(true)
})

describe('changes', () => {
  const halt = { scope: 'ethereum_localnet', reason: 'maintenance' }
  const quote = () => service.call('GET', `/v2/quote?from=${btc}&to=${wbtc}&from_amount=1000000`)

  test('need the CSRF token of the session', async () => {
    const { cookie, csrf } = await login(writer)
    const other = await login(writer)
    const post = (headers: Readonly<Record<string, string>>) => service.call('POST', `${API}/resume`, { body: { scope: '*' }, headers })
    expect((await post({ cookie })).status).toBe(403)
    expect((await post({ cookie, 'x-csrf-token': other.csrf })).status).toBe(403)
    expect((await post({ cookie, 'x-csrf-token': csrf, 'sec-fetch-site': 'same-site' })).status).toBe(403)
    // The request passes all checks: a 409 says that nothing is halted.
    expect((await post({ cookie, 'x-csrf-token': csrf, 'sec-fetch-site': 'same-origin' })).status).toBe(409)
  })

  test('need a token that may write', async () => {
    const { cookie, csrf } = await login(reader)
    const { status, body } = await service.call('POST', `${API}/halts`, { body: halt, headers: { cookie, 'x-csrf-token': csrf } })
    expect([status, body.error]).toEqual([403, expect.stringContaining('--write')])
  })

  test('a halted chain takes no quotes and orders until it is resumed, and the page shows it', async () => {
    const headers = { authorization: `Bearer ${writer}` }
    expect((await service.call('POST', `${API}/halts`, { body: { ...halt, scope: 'atlantis' }, headers })).status).toBe(400)
    expect((await service.call('POST', `${API}/halts`, { body: halt, headers })).status).toBe(200)
    await expect.poll(async () => (await quote()).status).toBe(503)
    expect((await quote()).body.error).toContain('its operator halted it; swaps')
    expect((await service.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })).status).toBe(503)
    expect((await quote()).body.error).not.toContain('maintenance')
    const isActive = async () => {
      const { body } = await service.call('GET', '/v2/assets')
      return (body.result as { id: string; is_active: boolean }[]).find(({ id }) => id === wbtc)?.is_active
    }
    await expect.poll(isActive).toBe(false)
    await expect
      .poll(async () => (await get<OverviewRecord>('/overview')).chains.find(({ chain }) => chain === halt.scope)?.halted)
      .toMatchObject({ reason: 'maintenance' })
    expect((await service.call('POST', `${API}/resume`, { body: { scope: halt.scope }, headers })).status).toBe(200)
    await expect.poll(async () => (await quote()).status).toBe(200)
  })
})

describe('an order', () => {
  test('is listed with what it waits for, and found by id, address, transaction and secret hash', async () => {
    const order = await fund()
    await expect
      .poll(async () => (await get<OrderRowsRecord>('/orders')).orders.find(({ order_id }) => order_id === order.id))
      .toMatchObject({ status: 'initiated', solver_id: order.solverId, waits_for: { who: 'solver' }, stuck: null })
    const found = async (text: string) => (await get<SearchRecord>(`/search?q=${text}`)).orders.map(({ order_id }) => order_id)
    expect(await found(order.id)).toEqual([order.id])
    expect(await found(order.source.swapId)).toEqual([order.id])
    expect(await found(order.source.terms.secretHash)).toEqual([order.id])
    expect(await found(`aa${height}`)).toEqual([order.id])
    expect(await found('nothing')).toEqual([])
    expect((await service.call('GET', `${API}/search?q=`, { headers: { authorization: `Bearer ${reader}` } })).status).toBe(400)
  })

  test('has a page with every rule of the playbook and what happened, and no secret', async () => {
    const order = await fund()
    const page = await get<OrderPageRecord>(`/orders/${order.id}`)
    expect(page).toMatchObject({
      status: 'initiated',
      status_means: 'the source is initiated at the required confirmations',
      waits_for: { who: 'solver', text: expect.stringContaining('it has not signed yet which deposits it pays for') },
      not_revealed_because: 'the solver has not signed for these deposits',
      legs: {
        source: {
          phase: 'initiated',
          timelock: expect.stringMatching(/^\d+ blocks, about \d/),
          explorer_tx_url: '',
          deposits: [{ confirmations: 1, left: expect.stringMatching(/^\d+ blocks, about \d/), spent: null }],
        },
        destination: { phase: 'waiting', timelock: expect.stringMatching(/^\d+ min$/) },
      },
    })
    expect(page.history.find(({ kind }) => kind === 'chain')).toMatchObject({ leg: 'source', tx: expect.stringMatching(/^aa/) })
    expect(page.rules.filter(({ holds }) => holds)).toEqual([])
    expect(page.history.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['created', 'initiated', expect.stringMatching(/^source initiated with 0\.01 BTC, block 1/)]),
    )
    await service.signFill(order)
    const agreed = await get<OrderPageRecord>(`/orders/${order.id}`)
    expect(agreed.rules.filter(({ holds }) => holds)).toMatchObject([{ who: 'solver', verb: 'initiate', leg: 'destination' }])
    const { rows } = await sql<{ hash: string }>`select token_hash as hash from orders where id = ${order.id}`.execute(service.db)
    expect(JSON.stringify(agreed)).not.toContain(rows[0]?.hash)
    expect(JSON.stringify(agreed)).not.toMatch(/"(raw|signature|secret|sealed)"/)
  })

  test('whose action fails again and again is stuck, and its reason is told', async () => {
    const order = await fund()
    await sql`
      insert into actions (key, order_id, leg, verb, wanted, failures, last_error)
      values (${`${order.id}/source/refund`}, ${order.id}, 'source', 'refund', true, 5, 'insufficient funds')`.execute(service.db)
    const page = await get<OrderPageRecord>(`/orders/${order.id}`)
    expect(page.stuck).toBe('refund source failed 5 times: insufficient funds')
    expect(page.actions).toMatchObject([{ verb: 'refund', failures: 5, last_error: 'insufficient funds' }])
    await expect.poll(async () => (await get<OverviewRecord>('/overview')).stuck).toBeGreaterThan(0)
  })

  test('in a status for longer than that takes is stuck', async () => {
    const order = await fund()
    await get(`/orders/${order.id}`)
    await sql`update order_events set at = to_timestamp(${Number(NOW) - 3600}) where order_id = ${order.id}`.execute(service.db)
    expect((await get<OrderPageRecord>(`/orders/${order.id}`)).stuck).toBe('initiated for 1 h 0 min, expected at most 10 min')
  })
})

describe('metrics', () => {
  test('are not public, and have the figures of the page for who has a token', async () => {
    await fund()
    expect((await service.call('GET', '/metrics')).status).toBe(401)
    expect((await service.call('GET', '/metrics', { headers: { authorization: `Bearer ${reader}0` } })).status).toBe(401)
    const { cookie } = await login(reader)
    // A cookie is for the page only.
    expect((await service.call('GET', '/metrics', { headers: { cookie } })).status).toBe(401)
    const { status, body } = await service.raw('/metrics', { authorization: `Bearer ${reader}` })
    expect(status).toBe(200)
    const text = body.toString()
    expect(text).toMatch(/^tandem_orders\{status="initiated"\} [1-9]/m)
    expect(text).toContain('tandem_chain_height{chain="bitcoin_regtest"} 120')
    expect(text).toContain('tandem_http_requests_total{method="POST",route="/v2/orders",status="200"}')
    expect(text).not.toContain(reader.split('.')[1])
  })
})
