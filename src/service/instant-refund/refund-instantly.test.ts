import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { ChainFailure } from '../../chains/port/failure.ts'
import { actionKey, type Order } from '../../protocol/order.ts'
import type { SolverInstantRefundRequest } from '../../protocol/wire/solver.ts'
import { noteInstantRefundTransaction } from '../../store/orders/grants.ts'
import { findOrder, markSecretSigned } from '../../store/orders/orders.ts'
import { answerOf, consentOf, FAKE_OFFER } from '../testing/fake-chain.fixture.ts'
import type { Answer } from '../testing/fake-solver.fixture.ts'
import {
  aliceScript,
  btc,
  type Call,
  eventsOf,
  NOW,
  orderBody,
  startTestService,
  type TestService,
  wbtc,
} from '../testing/service.fixture.ts'

let service: TestService
let order: Order
let token: string
let asked: SolverInstantRefundRequest[]
let height = 1000n
beforeAll(async () => {
  service = await startTestService()
})
afterEach(() => service.reset())
afterAll(() => service.close())
beforeEach(async () => {
  await make(orderBody(btc, wbtc))
  asked = []
  service.solver.onInstantRefund = (id, request) => {
    asked.push(request)
    return id === order.id ? signed(request) : { status: 404, body: { code: 'not_found', message: 'no such order' } }
  }
})

async function make(body: object): Promise<void> {
  const { body: reply } = await service.call('POST', '/v2/orders', { body })
  const { order_id: id, order_token: made } = reply.result as { order_id: string; order_token: string }
  const stored = await findOrder(service.db, id)
  if (stored === null) throw new Error('the order was not made')
  order = stored.order
  token = made
}

/** The answer of an honest solver. */
const signed = ({ refunds }: SolverInstantRefundRequest, changes: (answer: string) => string = (same) => same): Answer => {
  const parsed = refunds.map(({ amount, pays, ...refund }) => ({ ...refund, amount: BigInt(amount), pays: BigInt(pays) }))
  return { status: 200, body: { solver_id: 'first', answer: changes(answerOf(order.source.terms, parsed)) } }
}
const patch = (body: unknown = { signatures: [] }, headers: Call['headers'] = { 'order-token': token }) =>
  service.call('PATCH', `/v2/orders/${order.id}?action=instant-refund`, { body, headers })
const hashes = (headers: Call['headers'] = {}) => service.call('GET', `/v2/orders/${order.id}/instant-refund-hash`, { headers })
const deposit = (name: string, amount: bigint) => ({ ...eventsOf(order.source).initiated(`${name} of ${order.id}`, amount), deposit: name })
const mine = async (leg: 'source' | 'destination', ...events: Parameters<TestService['mine']>[2]) => {
  height += 1n
  await service.mine(order[leg].chain, { height, time: NOW }, events)
}
const back = (number: number) => `refund ${number} of ${order.id}`
/** Simulates the engine: stores the transaction that it sent. */
const send = (tx: string) =>
  service.db
    .insertInto('actions')
    .values({ key: actionKey(order.id, 'source', 'refund'), order_id: order.id, leg: 'source', verb: 'refund', wanted: true, last_tx: tx })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ last_tx: tx }))
    .execute()
const granted = async () => {
  const grants = (await findOrder(service.db, order.id))?.grants ?? []
  return grants.flatMap((grant) => (grant.kind === 'instant-refund' ? grant.refunds : []))
}
const refused = async (
  status: number,
  code: string,
  words: RegExp,
  body: unknown = { signatures: [] },
  headers: Call['headers'] = { 'order-token': token },
) => {
  expect(await patch(body, headers)).toMatchObject({ status, body: { status: 'Error', code, error: expect.stringMatching(words) } })
  expect((await findOrder(service.db, order.id))?.grants).toEqual([])
}

test("returns no hashes where the service holds the user's key", async () => {
  expect(await hashes()).toMatchObject({ status: 200, body: { result: [] } })
  expect(await hashes({ 'service-app-id': service.otherAppId })).toMatchObject({ status: 403, body: { code: 'forbidden' } })
})

test('refunds a deposit that is too small: the solver signs, the grant is stored, the engine is woken, and a repeated call joins', async () => {
  await mine('source', deposit('too little', 900_000n))
  ;(service.chains.get('bitcoin_regtest') ?? { fee: 0n }).fee = 700n
  let woken = 0
  service.world.onWake = () => {
    woken += 1
  }
  expect(await patch()).toMatchObject({ status: 503, body: { code: 'chain_unavailable' } })
  expect(woken).toBe(1)
  const refund = { deposit: 'too little', amount: 900_000n, to: aliceScript, pays: 899_300n }
  expect(asked).toEqual([{ refunds: [{ ...refund, amount: '900000', pays: '899300' }], offer: FAKE_OFFER }])
  expect(await granted()).toEqual([{ ...refund, signature: consentOf(order.source.terms, refund) }])
  await send(back(1))
  expect(await patch()).toMatchObject({ status: 200, body: { result: back(1) } })
  expect(asked).toHaveLength(1)
  await mine('source', { ...eventsOf(order.source).refunded(back(1)), deposit: 'too little' })
  expect(await patch()).toMatchObject({ status: 200, body: { result: back(1) } })
  expect(asked).toHaveLength(1)
})

test('the order shows the refund, with the signed transaction once there is one', async () => {
  const record = async () =>
    (await service.call('GET', `/v2/orders/${order.id}`)).body.result as {
      status: string
      next_action: unknown
      source_swap: object
      destination_swap: object
    }
  await mine('source', deposit('a', 900_000n))
  await patch()
  const before = await record()
  expect(before).toMatchObject({ status: 'awaiting_refund', next_action: { who: 'service', what: 'refund_source' } })
  expect(before.source_swap).not.toHaveProperty('instant_refund_tx')
  await noteInstantRefundTransaction(service.db, order.id, '0200beef')
  const after = await record()
  expect(after.source_swap).toMatchObject({ instant_refund_tx: '0200beef' })
  expect(after.destination_swap).not.toHaveProperty('instant_refund_tx')
})

test('signs a later deposit too, and waits for its own transaction', async () => {
  await mine('source', deposit('first', 600_000n))
  await patch()
  await send(back(1))
  await mine('source', { ...eventsOf(order.source).refunded(back(1)), deposit: 'first' }, deposit('second', 1_000_000n))
  expect(await patch()).toMatchObject({ status: 503 })
  await send(back(2))
  expect((await patch()).body.result).toBe(back(2))
  expect(asked.map(({ refunds }) => refunds.map((refund) => refund.deposit))).toEqual([['first'], ['second']])
  expect((await granted()).map((refund) => refund.deposit)).toEqual(['first', 'second'])
})

test('needs the token to cancel an order that may still complete; refunds a late deposit without it', async () => {
  await mine('source', deposit('exact', 1_000_000n))
  await refused(403, 'forbidden', /may still complete.*order_token/, { signatures: [] }, {})
  await refused(403, 'forbidden', /order_token/, { signatures: [], order_token: 'f'.repeat(64) }, {})
  expect(asked).toEqual([])
  expect(await patch({ signatures: [] }, { 'order-token': token })).toMatchObject({ status: 503 })
  expect(asked).toHaveLength(1)

  await make(orderBody(btc, wbtc))
  height += 1n
  await service.mine(order.source.chain, { height, time: order.deadline + 1n }, [deposit('late', 1_000_000n)])
  expect(await patch({ signatures: [] }, {})).toMatchObject({ status: 503 })
  expect(asked).toHaveLength(2)
})

describe('many calls and deposits', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `deposit ${String(index).padStart(3, '0')}`)
  const fund = (count: number) => mine('source', ...names(count).map((name) => deposit(name, 20_000n)))

  test('50 calls at once are one signing, and all get its transaction', async () => {
    await fund(3)
    const { onInstantRefund } = service.solver
    service.solver.onInstantRefund = (id, request) => {
      service.solver.delay = sleep(50)
      return onInstantRefund(id, request)
    }
    const calls = Array.from({ length: 50 }, () => patch())
    await expect.poll(async () => (await granted()).length).toBe(3)
    await send(back(1))
    const statuses = new Set((await Promise.all(calls)).map(({ status }) => status))
    expect(asked).toHaveLength(1)
    expect([...statuses].every((status) => [200, 503].includes(status))).toBe(true)
    expect(await patch()).toMatchObject({ status: 200, body: { result: back(1) } })
    expect(asked).toHaveLength(1)
  })

  test('at most 20 deposits are signed at once, and what is signed stays signed', async () => {
    await fund(45)
    const { onInstantRefund } = service.solver
    service.solver.onInstantRefund = (id, request) =>
      asked.length < 2 ? onInstantRefund(id, request) : { status: 409, body: { code: 'conflict', message: 'not now' } }
    expect(await patch()).toMatchObject({ status: 409, body: { error: expect.stringContaining('not now') } })
    expect(asked.map(({ refunds }) => refunds.length)).toEqual([20, 20])
    expect(await granted()).toHaveLength(40)
    service.solver.onInstantRefund = onInstantRefund
    expect(await patch()).toMatchObject({ status: 503 })
    expect(asked.map(({ refunds }) => refunds.length)).toEqual([20, 20, 5])
    expect((await granted()).map((refund) => refund.deposit)).toEqual(names(45))
  })

  test('a repeat costs two statements and one of the app, asks nobody, and wakes nobody', async () => {
    await fund(100)
    await patch()
    await send(back(1))
    let woken = 0
    service.world.onWake = () => {
      woken += 1
    }
    const solverCalls = asked.length
    const statements = vi.spyOn(pg.Client.prototype, 'query')
    expect(await patch()).toMatchObject({ status: 200, body: { result: back(1) } })
    expect(statements.mock.calls.length).toBeLessThanOrEqual(3)
    statements.mockClear()
    expect(await patch({ signatures: [] }, {})).toMatchObject({ status: 200, body: { result: back(1) } })
    expect(statements.mock.calls.length).toBeLessThanOrEqual(3)
    statements.mockRestore()
    expect(woken).toBe(0)
    expect(asked).toHaveLength(solverCalls)
  })

  test('a refusal for deposits that are uneconomic costs one statement and one of the app', async () => {
    await fund(100)
    Object.assign(service.chains.get('bitcoin_regtest') ?? {}, { failure: new ChainFailure('uneconomic', 'no deposit covers its fee') })
    const statements = vi.spyOn(pg.Client.prototype, 'query')
    expect(await patch()).toMatchObject({ status: 409 })
    expect(statements.mock.calls.length).toBeLessThanOrEqual(2)
    statements.mockRestore()
  })

  test('calls that wait for a transaction share their statements', async () => {
    const patient = await startTestService({ environment: 'local', broadcastWaitMs: 1_000 })
    try {
      const { body } = await patient.call('POST', '/v2/orders', { body: orderBody(btc, wbtc) })
      const { order_id: id, order_token: held } = body.result as { order_id: string; order_token: string }
      const stored = await findOrder(patient.db, id)
      if (stored === null) throw new Error('the order was not made')
      order = stored.order
      patient.solver.onInstantRefund = (_, request) => signed(request)
      await patient.mine(order.source.chain, { height: 2000n, time: NOW }, [deposit('a', 900_000n)])
      const call = () =>
        patient.call('PATCH', `/v2/orders/${id}?action=instant-refund`, { body: { signatures: [] }, headers: { 'order-token': held } })
      await call()
      const statements = vi.spyOn(pg.Client.prototype, 'query')
      const answers = await Promise.all(Array.from({ length: 40 }, call))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
      // Each call reads its app. Five polls a second, of at most three statements each.
      expect(statements.mock.calls.length).toBeLessThan(40 + 40)
      statements.mockRestore()
    } finally {
      await patient.close()
    }
  })

  test('an order whose signing fails is not signed more than ten times a minute; the token holder has a limit of its own', async () => {
    height += 1n
    await service.mine(order.source.chain, { height, time: order.deadline + 1n }, [deposit('late', 1_000_000n)])
    let attempts = 0
    const { onInstantRefund } = service.solver
    service.solver.onInstantRefund = () => {
      attempts += 1
      return { status: 409, body: { code: 'conflict', message: 'not now' } }
    }
    for (let call = 0; call < 10; call += 1) expect(await patch({ signatures: [] }, {})).toMatchObject({ status: 409 })
    const limited = await patch({ signatures: [] }, {})
    expect(limited).toMatchObject({ status: 429, body: { status: 'Error', result: null, code: 'rate_limited' } })
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(attempts).toBe(10)
    service.solver.onInstantRefund = onInstantRefund
    expect(await patch()).toMatchObject({ status: 503 })
    expect(await granted()).toHaveLength(1)
    // Needs no new signature.
    await send(back(1))
    expect(await patch({ signatures: [] }, {})).toMatchObject({ status: 200, body: { result: back(1) } })
  })
})

test("a stranger's dust does not let a stranger cancel", async () => {
  await mine('source', deposit('dust', 1_000n))
  await refused(403, 'forbidden', /order_token/, { signatures: [] }, {})
  expect(asked).toEqual([])
})

test('a missing refund address can be set once, with the token', async () => {
  const body = orderBody(btc, wbtc)
  await make({ ...body, source: { ...body.source, owner: undefined } })
  await mine('source', deposit('a', 900_000n))
  await refused(400, 'bad_request', /the refund address is not known/)
  await refused(403, 'forbidden', /order_token/, { signatures: [], address: aliceScript }, {})
  expect(asked).toEqual([])
  const { onInstantRefund } = service.solver
  service.solver.onInstantRefund = () => ({ status: 409, body: { code: 'conflict', message: 'not now' } })
  await refused(409, 'conflict', /not now/, { signatures: [], address: aliceScript, order_token: token })
  expect((await findOrder(service.db, order.id))?.order.source.userAddress).toBe(null)
  service.solver.onInstantRefund = onInstantRefund
  expect(await patch({ signatures: [], address: aliceScript, order_token: token })).toMatchObject({ status: 503 })
  expect(await granted()).toMatchObject([{ to: aliceScript }])
  expect((await findOrder(service.db, order.id))?.order.source.userAddress).toBe(aliceScript)
  const moved = await patch({ signatures: [], address: 'fake1malloryaaa', order_token: token })
  expect(moved).toMatchObject({ status: 403, body: { code: 'forbidden' } })
})

describe('refuses and grants nothing', () => {
  test('without an array of signatures, or with any in it', async () => {
    await mine('source', deposit('a', 900_000n))
    await refused(400, 'bad_request', /signatures is missing: .* single signature is not enough/, {})
    await refused(400, 'bad_request', /signatures is missing: .* single signature is not enough/, { signature: 'ab'.repeat(65) })
    await refused(400, 'bad_request', /signatures: expected an array .* single signature is not enough/, { signatures: 'ab'.repeat(65) })
    await refused(400, 'bad_request', /signatures: expected an array/, { signatures: null })
    await refused(400, 'bad_request', /signatures: expected an array/, { signatures: {} })
    await refused(400, 'bad_request', /must be empty.* the service holds the user's key/, { signatures: ['ab'.repeat(65)] })
    await refused(400, 'bad_request', /must be empty.* the service holds the user's key/, { signatures: ['ab'.repeat(64)] })
    await refused(400, 'bad_request', /signatures.0: expected a signature, as a string/, { signatures: [5] })
    await refused(400, 'bad_request', /signatures: expected an array/, { signatures: Array.from({ length: 101 }, () => 'ab'.repeat(65)) })
    expect(asked).toEqual([])
  })

  test('on a source chain without instant refunds', async () => {
    await make(orderBody(wbtc, btc))
    await refused(400, 'bad_request', /not supported on ethereum_localnet/)
    expect(await hashes()).toMatchObject({ status: 400, body: { code: 'bad_request' } })
  })

  test('by another app', async () => {
    await mine('source', deposit('a', 900_000n))
    await refused(403, 'forbidden', /another app/, { signatures: [] }, { 'service-app-id': service.otherAppId })
    expect(asked).toEqual([])
  })

  test('without a deposit that is mined and unspent, or while it pays for the order', async () => {
    await refused(409, 'conflict', /no deposit was seen/)
    await mine('source', deposit('exact', order.source.terms.amount))
    await mine('destination', eventsOf(order.destination).initiated('0xlock'))
    await refused(409, 'conflict', /order is counterparty_initiated, and the deposit pays for it/)
    await mine('destination', eventsOf(order.destination).redeemed('0xredeem', '0'.repeat(64)))
    await mine('source', { ...eventsOf(order.source).redeemed('redeem', '0'.repeat(64)), deposit: 'exact' })
    await refused(409, 'conflict', /nothing to refund: the order is counterparty_redeemed/)
    expect(asked).toEqual([])
  })

  test('after a redeem with the secret was signed', async () => {
    await mine('source', deposit('a', 900_000n))
    await markSecretSigned(service.db, order.id)
    await refused(409, 'conflict', /cannot be refunded instantly/)
    expect(asked).toEqual([])
  })

  test('when the deposit is uneconomic', async () => {
    await mine('source', deposit('dust', 600n))
    Object.assign(service.chains.get('bitcoin_regtest') ?? {}, {
      failure: new ChainFailure('uneconomic', 'no deposit covers its fee'),
    })
    await refused(409, 'conflict', /uneconomic.* refunded after its timelock/)
  })

  test('when the solver pays for the order', async () => {
    await mine('source', deposit('a', 900_000n))
    service.solver.onInstantRefund = () => ({ status: 409, body: { code: 'conflict', message: 'the solver pays for this order' } })
    await refused(409, 'conflict', /the solver pays for this order/)
  })

  test.each<[string, (request: SolverInstantRefundRequest) => Answer]>([
    ['does not answer', () => 'hang up'],
    ['knows no such order', () => ({ status: 404, body: { code: 'not_found', message: 'what?' } })],
    ['signs other refunds', (request) => signed(request, () => '0'.repeat(64))],
    ['signs in another shape', (request) => signed(request, (answer) => answer.slice(0, -2))],
    ['gives no payload', () => ({ status: 200, body: { solver_id: 'first', answer: null } })],
    ['gives an empty payload', () => ({ status: 200, body: { solver_id: 'first', answer: '' } })],
    ['gives a payload that is too long', () => ({ status: 200, body: { solver_id: 'first', answer: 'x'.repeat(30_001) } })],
    ['signs too few refunds', (request) => signed({ ...request, refunds: [] })],
    ['signs too many refunds', (request) => signed({ ...request, refunds: [...request.refunds, ...request.refunds] })],
    [
      'answers with the id of another solver',
      (request) => ({ status: 200, body: { ...(signed(request) as { body: object }).body, solver_id: 'second' } }),
    ],
  ])('when the solver %s', async (_name, answer) => {
    await mine('source', deposit('a', 900_000n))
    service.solver.onInstantRefund = (_id, request) => answer(request)
    await refused(503, 'chain_unavailable', /solver of this order did not give its signature/)
  })
})

test('GET /orders/{id}/funding repeats the answer of POST /orders without the token, for the app that made the order', async () => {
  const funding = (id: string, headers: Call['headers'] = {}) => service.call('GET', `/v2/orders/${id}/funding`, { headers })
  expect((await funding(order.id)).body).toEqual({
    status: 'Ok',
    error: null,
    result: { order_id: order.id, to: order.source.swapId, amount: '1000000' },
  })
  expect(await funding(order.id, { 'service-app-id': service.otherAppId })).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  expect(await funding('0'.repeat(64))).toMatchObject({ status: 404 })
  const made = (await service.call('POST', '/v2/orders', { body: orderBody(wbtc, btc) })).body.result as { order_id: string }
  const { order_token: _, ...rest } = made as { order_id: string; order_token?: string }
  expect((await funding(made.order_id)).body.result).toEqual(rest)
})
