/** Tests the HTTP server of a solver: what it answers, and which requests it refuses. */

import { contentDigest } from '@tandem/party/solver-auth/message-signature.ts'
import { type RequestToSign, signRequest } from '@tandem/party/solver-auth/sign.ts'
import { createSigningKey, createVerifyingKey } from '@tandem/party/solver-auth/signing-key.ts'
import { answerProblem } from '@tandem/party/solver-auth/verify-answer.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { testLog } from '@tandem/runtime/test-log.fixture.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Changes, createChanges } from './changes.ts'
import { createSolverServer } from './server.ts'
import { btc, freshSolver, orderRequest, wbtc } from './solver.fixture.ts'

const solverKey = createSigningKey('51'.repeat(32))
const serviceKey = createSigningKey('52'.repeat(32))
const store = sharedStore()
const solver = freshSolver(store)
let server: ReturnType<typeof createSolverServer>
let url: string
const unreachable = new Set<string>()
let overloaded: boolean
/** While the solver is busy, some orders are refused, but no quotes. */
let busy: boolean
const logged: string[] = []
const hinted: string[] = []
let changes: Changes
beforeEach(async () => {
  unreachable.clear()
  overloaded = false
  busy = false
  logged.length = 0
  hinted.length = 0
  changes = createChanges()
  server = createSolverServer({
    context: solver.context,
    authentication: { key: solverKey, services: [{ id: 'a service', publicKey: serviceKey.publicKey }] },
    log: testLog((line) => logged.push(line)),
    chainHealthy: (chain) => !unreachable.has(chain),
    admits: (what) => !overloaded && !(busy && what === 'order'),
    changes,
    onHint: (chain) => hinted.push(chain),
    announcedChains: () => ['b', 'c'],
  })
  url = await server.listen({ host: '127.0.0.1', port: 0 })
  return () => server.close()
})

const quoteRequest = { from: btc, to: wbtc, from_amount: '1000000', extra_fee_bips: 0, indicative: false }

const refundPath = `/orders/${'0'.repeat(64)}/instant-refund`
const refund = { deposit: 'a deposit', amount: '5000', to: 'an address', pays: '4000' }
const orderId = 'ab'.repeat(32)
const fillPath = `/orders/${orderId}/fill`
const fillRequest = { deposits: ['a'], block_hash: 'hash', destination_amount: '1' }
const refundRequest = { refunds: [refund], offer: null }

type Change = {
  readonly laterMs?: number
  readonly request?: Partial<RequestToSign>
  readonly key?: typeof serviceKey
  readonly headers?: Readonly<Record<string, string | undefined>>
}

async function send(
  path: string,
  text: string | undefined,
  { laterMs = 0, request = {}, key = serviceKey, headers: changed = {} }: Change = {},
) {
  const target = `/v1${path}`
  const method = text === undefined ? 'GET' : 'POST'
  const recipient = solverKey.publicKey
  const signed = signRequest(key, { method, target, body: text ?? '', recipient, waitMs: 5_000, nowMs: Date.now() + laterMs, ...request })
  const all = { ...signed, ...(text !== undefined && { 'content-type': 'application/json' }), ...changed }
  const headers = Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined))
  const response = await fetch(`${url}${target}`, { method, headers, ...(text !== undefined && { body: text }) })
  const body = Buffer.from(await response.arrayBuffer())
  const answer = { status: response.status, headers: Object.fromEntries(response.headers), body, requestSignature: signed.signature }
  return {
    status: response.status,
    body: JSON.parse(body.toString()),
    problem: answerProblem(createVerifyingKey(recipient), answer),
    signed,
  }
}

/** Every answer must be signed. */
async function call(path: string, text?: string) {
  const { status, body, problem } = await send(path, text)
  expect(problem).toBe(null)
  return { status, body }
}

const get = (path: string) => call(path)
const post = (path: string, body: unknown) => call(path, typeof body === 'string' ? body : JSON.stringify(body))

test('quotes and orders', async () => {
  expect(await post('/quote', quoteRequest)).toMatchObject({ status: 200, body: { destination_amount: '980000' } })
  expect(await post('/orders', orderRequest())).toMatchObject({ status: 200, body: { destination: { amount: '980000' } } })
})

test('refuses quotes and orders of a halted pair; indicative quotes go on', async () => {
  solver.world.halt = { scope: '*', cause: 'operator', reason: 'maintenance', since: 0n, until: null }
  const refusal = { status: 503, body: { code: 'chain_unavailable', message: 'halted (*) by the operator of the solver' } }
  expect(await post('/quote', quoteRequest)).toEqual(refusal)
  expect(await post('/orders', orderRequest())).toEqual(refusal)
  expect(await post('/quote', { ...quoteRequest, indicative: true })).toMatchObject({ status: 200 })
})

describe('refuses a request', () => {
  const text = JSON.stringify(orderRequest())
  const stranger = createSigningKey('53'.repeat(32))

  const cases: readonly { name: string; change: Change; message: string; signed?: true }[] = [
    { name: 'without a signature', change: { headers: { signature: undefined } }, message: 'must have the headers' },
    {
      name: 'with a bearer token',
      change: { headers: { signature: 'Bearer x', authorization: 'Bearer x' } },
      message: 'form of the protocol',
    },
    { name: 'of a stranger', change: { key: stranger }, message: `the key ${stranger.publicKey} is not known here` },
    { name: 'for another solver', change: { request: { recipient: stranger.publicKey } }, message: 'is for another solver' },
    {
      name: 'that was readdressed',
      change: { request: { recipient: stranger.publicKey }, headers: { 'tandem-recipient': solverKey.publicKey } },
      message: 'does not fit',
    },
    { name: 'for another path', change: { request: { target: '/v1/quote' } }, message: 'does not fit' },
    { name: 'with another query', change: { request: { target: '/v1/orders?a' } }, message: 'does not fit' },
    { name: 'with another method', change: { request: { method: 'GET' } }, message: 'does not fit' },
    {
      name: 'with another body',
      change: { request: { body: `${text} ` } },
      message: 'content-digest does not match the body',
      signed: true,
    },
    {
      name: 'whose digest was replaced',
      change: { request: { body: `${text} ` }, headers: { 'content-digest': contentDigest(text) } },
      message: 'does not fit',
    },
    {
      name: 'from the past',
      change: { laterMs: -32_000 },
      message: 's behind our clock, at most 30 s are accepted',
      signed: true,
    },
    { name: 'from the future', change: { laterMs: 60_000 }, message: 's ahead of our clock', signed: true },
    {
      name: 'from before the start of the solver',
      change: { laterMs: -20_000 },
      message: 'before this process was started',
      signed: true,
    },
  ]
  test('that is not signed for this solver, by a known service, at this time', async () => {
    for (const { name, change, message, signed } of cases) {
      const { status, body, problem } = await send('/orders', text, change)
      const refusal = { status: 401, body: { code: 'unauthorized', message: expect.stringContaining(message) } }
      expect({ status, body }, name).toEqual(refusal)
      // A refusal is signed as soon as the caller is known.
      expect(problem, name).toEqual(signed === true ? null : 'is not signed')
    }
    expect(await store.db.selectFrom('orders').select('id').execute()).toEqual([])
  })

  test('that was sent before', async () => {
    const { signed } = await send('/health', undefined)
    const again = await fetch(`${url}/v1/health`, { headers: signed })
    expect(again.status).toBe(401)
    expect(await again.json()).toMatchObject({ message: expect.stringContaining('the nonce was used before') })
  })

  test('whose caller no longer waits, before it writes anything', async () => {
    expect(await send('/orders', text, { request: { waitMs: 0 } })).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('too late') },
      problem: null,
    })
    expect(await store.db.selectFrom('orders').select('id').execute()).toEqual([])
  })

  test('of another version', async () => {
    const { signed } = await send('/health', undefined, { request: { target: '/v9/health' } })
    const answer = await fetch(`${url}/v9/health`, { headers: signed })
    expect(answer.status).toBe(404)
    expect(await answer.json()).toEqual({ code: 'not_found', message: expect.stringContaining('paths begin with /v1/') })
  })
})

describe('refuses a request with', () => {
  const { created_at: _, ...withoutCreation } = orderRequest()

  const cases: readonly { name: string; path: string; body: unknown; message: string }[] = [
    { name: 'no JSON', path: '/quote', body: '{', message: 'JSON' },
    { name: 'an amount with a point', path: '/quote', body: { ...quoteRequest, from_amount: '1.5' }, message: 'from_amount' },
    { name: 'an amount of zero', path: '/quote', body: { ...quoteRequest, from_amount: '0' }, message: 'from_amount' },
    { name: 'an amount that is a number', path: '/quote', body: { ...quoteRequest, from_amount: 1000000 }, message: 'from_amount' },
    { name: 'a fee that is null', path: '/quote', body: { ...quoteRequest, extra_fee_bips: null }, message: 'extra_fee_bips' },
    { name: 'a negative fee', path: '/quote', body: { ...quoteRequest, extra_fee_bips: -1 }, message: 'extra_fee_bips' },
    { name: 'both amounts', path: '/quote', body: { ...quoteRequest, to_amount: '1' }, message: 'exactly one' },
    { name: 'no refunds', path: refundPath, body: { refunds: [], offer: null }, message: 'refunds' },
    {
      name: 'too many refunds',
      path: refundPath,
      body: { refunds: Array.from({ length: 101 }, () => refund), offer: null },
      message: 'refunds',
    },
    { name: 'a refund that pays zero', path: refundPath, body: { refunds: [{ ...refund, pays: '0' }], offer: null }, message: 'pays' },
    {
      name: 'an amount that is a number',
      path: refundPath,
      body: { refunds: [{ ...refund, amount: 5000 }], offer: null },
      message: 'amount',
    },
    { name: 'no offer field', path: refundPath, body: { refunds: [refund] }, message: 'offer' },
    { name: 'an empty offer', path: refundPath, body: { refunds: [refund], offer: '' }, message: 'offer' },
    { name: 'an offer that is too long', path: refundPath, body: { refunds: [refund], offer: 'x'.repeat(20_001) }, message: 'offer' },
    { name: 'a fill without deposits', path: fillPath, body: { ...fillRequest, deposits: [] }, message: 'deposits' },
    {
      name: 'a fill of too many deposits',
      path: fillPath,
      body: { ...fillRequest, deposits: ['a', 'b', 'c', 'd', 'e', 'f'] },
      message: 'deposits',
    },
    { name: 'a fill for zero', path: fillPath, body: { ...fillRequest, destination_amount: '0' }, message: 'destination_amount' },
    { name: 'an empty transaction', path: '/cosign/complete', body: { order_ids: [orderId], transaction: '' }, message: 'transaction' },
    {
      name: 'a cosign offer that is too long',
      path: '/cosign',
      body: { items: [{ order_id: orderId, deposits: [{ id: 'a', amount: '1' }], offer: 'x'.repeat(4_001) }] },
      message: 'offer',
    },
    { name: 'a cosign request without items', path: '/cosign', body: { items: [] }, message: 'items' },
    {
      name: 'a transaction that is too long',
      path: '/cosign/complete',
      body: { order_ids: [orderId], transaction: 'x'.repeat(200_001) },
      message: 'transaction',
    },
    { name: 'a malformed order id', path: '/orders/5/instant-refund', body: refundRequest, message: 'order_id' },
    { name: 'an order id in capitals', path: '/orders', body: orderRequest({ order_id: 'AB'.repeat(32) }), message: 'order_id' },
    { name: 'no creation time', path: '/orders', body: withoutCreation, message: 'created_at' },
    { name: 'too much slippage', path: '/orders', body: orderRequest({ slippage_bips: 501 }), message: 'slippage_bips' },
  ]
  test('another shape', async () => {
    for (const { name, path, body, message } of cases) {
      const refusal = { status: 400, body: { code: 'bad_request', message: expect.stringContaining(message) } }
      expect(await post(path, body), name).toEqual(refusal)
    }
    expect(logged).toEqual([])
  })

  test('terms or amounts that it must refuse: answers with the reason and the status of the error code', async () => {
    const request = orderRequest()
    await post('/orders', request)
    expect(await post('/orders', { ...request, source: { ...request.source, amount: '1' } })).toEqual({
      status: 409,
      body: { code: 'conflict', message: expect.stringContaining('exists with other terms') },
    })
    solver.hold(wbtc, 0n)
    expect(await post('/quote', quoteRequest)).toMatchObject({ status: 400, body: { code: 'insufficient_liquidity' } })
  })
})

test('refuses an instant refund of an unknown order', async () => {
  expect(await post(refundPath, refundRequest)).toEqual({
    status: 404,
    body: { code: 'not_found', message: expect.stringContaining('no order') },
  })
})

test('a market without a price at the moment names no time to wait: a service would ask for no other pair until then', async () => {
  const { prices, ...pricing } = solver.context.pricing
  const unknown = new TandemError('chain_unavailable', 'the sources are silent', { retryAfterSeconds: 10 })
  const of = () => {
    throw unknown
  }
  Object.defineProperty(solver.context, 'pricing', { value: { ...pricing, prices: { ...prices, of, range: () => null } } })
  const { body } = await post('/quote', { ...quoteRequest, indicative: true })
  expect(body).toEqual({ code: 'chain_unavailable', message: 'the sources are silent' })
})

test('an unexpected error is a 500 whose details are only in the log', async () => {
  solver.ethereum.balance = async () => {
    throw new Error('password=hunter2 in a file of the solver')
  }
  expect(await post('/quote', quoteRequest)).toEqual({
    status: 500,
    body: { code: 'internal', message: "unexpected error; details are in the solver's log" },
  })
  expect(logged.join('')).toContain('in a file of the solver')
})

describe('an unreachable chain', () => {
  test.each(['bitcoin_regtest', 'ethereum_localnet'])('%s: refuses quotes and orders, except indicative quotes', async (chain) => {
    unreachable.add(chain)
    for (const [path, body] of [
      ['/quote', quoteRequest],
      ['/orders', orderRequest()],
    ] as const) {
      expect(await post(path, body)).toEqual({ status: 503, body: { code: 'chain_unavailable', message: `${chain} is not reachable` } })
    }
    expect(await post('/quote', { ...quoteRequest, indicative: true })).toMatchObject({ status: 200 })
  })
})

describe('overload', () => {
  test('refuses every quote and order before it reads them, and says when to try again', async () => {
    overloaded = true
    const refusal = { code: 'chain_unavailable', message: 'the solver is busy with the swaps in progress', retry_after: 2 }
    for (const [path, body] of [
      ['/quote', quoteRequest],
      ['/quote', { ...quoteRequest, indicative: true }],
      ['/orders', orderRequest()],
      ['/orders', '{"no": JSON'],
    ] as const)
      expect(await post(path, body)).toEqual({ status: 503, body: refusal })
    expect(await store.db.selectFrom('orders').select('id').execute()).toEqual([])
  })

  test('while it takes some orders: a refusal names no time, because the service would ask nothing until then', async () => {
    busy = true
    expect(await post('/quote', quoteRequest)).toMatchObject({ status: 200 })
    const refusal = { code: 'chain_unavailable', message: 'the solver is busy with the swaps in progress' }
    expect(await post('/orders', orderRequest())).toEqual({ status: 503, body: refusal })
  })

  test('refuses nothing about orders that exist', async () => {
    overloaded = true
    expect(await post(refundPath, refundRequest)).toMatchObject({ status: 404 })
    expect(await post(fillPath, fillRequest)).toMatchObject({ status: 404 })
    expect(await post('/changes', { chains: ['a'] })).toMatchObject({ status: 200 })
  })

  test('is shown by its health', async () => {
    expect((await get('/health')).body).toMatchObject({ solver_id: 'the solver', overloaded: false })
    overloaded = true
    expect((await get('/health')).body).toMatchObject({ solver_id: 'the solver', overloaded: true })
  })
})

test('its health names the key with which it takes part in HTLCs, on chains where parties are keys', async () => {
  const { chain, curve, identityOf } = solver.bitcoin
  const key = identityOf(solver.context.keys.of({ chain, curve }))
  expect((await get('/health')).body).toMatchObject({ keys: { [chain.id]: key } })
  const { body } = await post('/orders', orderRequest())
  expect(body).toMatchObject({ source: { redeemer: key } })
})

describe('hints', () => {
  test('of a service are passed on, each chain once', async () => {
    const body = { solver_id: solver.context.solverId, needless: ['b'] }
    expect(await post('/changes', { chains: ['a', 'b', 'a'] })).toEqual({ status: 200, body })
    expect(hinted).toEqual(['a', 'b'])
  })

  test('for a service wait until something happens', async () => {
    changes.note('b')
    const waiting = get('/changes?after=0&except=b,c')
    await new Promise((resolve) => setTimeout(resolve, 50))
    changes.note('c')
    changes.note('a')
    expect(await waiting).toEqual({ status: 200, body: { solver_id: solver.context.solverId, next: 3, chains: ['a'] } })
  })

  test('are refused in another shape', async () => {
    const many = Array.from({ length: 65 }, (_, index) => `chain ${index}`)
    for (const chains of [[], [''], ['x'.repeat(65)], many, 'a']) expect(await post('/changes', { chains })).toMatchObject({ status: 400 })
    for (const after of ['', '-1', 'x', '1'.repeat(16)]) expect(await get(`/changes?after=${after}`)).toMatchObject({ status: 400 })
    expect(hinted).toEqual([])
  })

  test('do not keep the server from closing', async () => {
    const waiting = get('/changes?after=0')
    await new Promise((resolve) => setTimeout(resolve, 50))
    await server.close()
    expect(await waiting).toMatchObject({ status: 200, body: { next: 0, chains: [] } })
  })
})
