/** Tests instant refunds on request: who may ask, and what is signed. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { noteInstantRefundTransaction } from '@tandem/party/store/orders/grants.ts'
import { findOrder, markSecretSigned } from '@tandem/party/store/orders/orders.ts'
import type { SolverInstantRefundRequest } from '@tandem/protocol/wire/solver.ts'
import { describe, expect, test } from 'vitest'
import { consentOf, FAKE_OFFER } from '../testing/fake-chain.fixture.ts'
import type { Answer } from '../testing/fake-solver.fixture.ts'
import { aliceScript, btc, type Call, eventsOf, orderBody, wbtc } from '../testing/service.fixture.ts'
import { useInstantRefunds } from './instant-refunds.fixture.ts'

const refunds = useInstantRefunds()
const { make, signed, patch, hashes, deposit, mine, back, send, granted, refused } = refunds

test("returns no hashes where the service holds the user's key", async () => {
  expect(await hashes()).toMatchObject({ status: 200, body: { result: [] } })
  expect(await hashes({ 'service-app-id': refunds.service.otherAppId })).toMatchObject({ status: 403, body: { code: 'forbidden' } })
})

test('refunds a deposit that is too small: the solver signs, the grant is stored, the engine is woken, and a repeated call joins', async () => {
  await mine('source', deposit('too little', 900_000n))
  ;(refunds.service.chains.get('bitcoin_regtest') ?? { fee: 0n }).fee = 700n
  let woken = 0
  refunds.service.world.onWake = () => {
    woken += 1
  }
  expect(await patch()).toMatchObject({ status: 503, body: { code: 'chain_unavailable' } })
  expect(woken).toBe(1)
  const refund = { deposit: 'too little', amount: 900_000n, to: aliceScript, pays: 899_300n }
  expect(refunds.asked).toEqual([{ refunds: [{ ...refund, amount: '900000', pays: '899300' }], offer: FAKE_OFFER }])
  expect(await granted()).toEqual([{ ...refund, signature: consentOf(refunds.order.source.terms, refund) }])
  await send(back(1))
  expect(await patch()).toMatchObject({ status: 200, body: { result: back(1) } })
  expect(refunds.asked).toHaveLength(1)
  await mine('source', { ...eventsOf(refunds.order.source).refunded(back(1)), deposit: 'too little' })
  expect(await patch()).toMatchObject({ status: 200, body: { result: back(1) } })
  expect(refunds.asked).toHaveLength(1)
})

test('the order shows the refund, with the signed transaction once there is one', async () => {
  const record = async () =>
    (await refunds.service.call('GET', `/v2/orders/${refunds.order.id}`)).body.result as {
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
  await noteInstantRefundTransaction(refunds.service.db, refunds.order.id, '0200beef')
  const after = await record()
  expect(after.source_swap).toMatchObject({ instant_refund_tx: '0200beef' })
  expect(after.destination_swap).not.toHaveProperty('instant_refund_tx')
})

test('signs a later deposit too, and waits for its own transaction', async () => {
  await mine('source', deposit('first', 600_000n))
  await patch()
  await send(back(1))
  await mine('source', { ...eventsOf(refunds.order.source).refunded(back(1)), deposit: 'first' }, deposit('second', 1_000_000n))
  expect(await patch()).toMatchObject({ status: 503 })
  await send(back(2))
  expect((await patch()).body.result).toBe(back(2))
  expect(refunds.asked.map(({ refunds }) => refunds.map((refund) => refund.deposit))).toEqual([['first'], ['second']])
  expect((await granted()).map((refund) => refund.deposit)).toEqual(['first', 'second'])
})

test('needs the token to cancel an order that may still complete; refunds a late deposit without it', async () => {
  await mine('source', deposit('exact', 1_000_000n))
  await refused(403, 'forbidden', /may still complete.*order_token/, { signatures: [] }, {})
  await refused(403, 'forbidden', /order_token/, { signatures: [], order_token: 'f'.repeat(64) }, {})
  expect(refunds.asked).toEqual([])
  expect(await patch({ signatures: [] }, { 'order-token': refunds.token })).toMatchObject({ status: 503 })
  expect(refunds.asked).toHaveLength(1)

  await make(orderBody(btc, wbtc))
  refunds.height += 1n
  await refunds.service.mine(refunds.order.source.chain, { height: refunds.height, time: refunds.order.deadline + 1n }, [
    deposit('late', 1_000_000n),
  ])
  expect(await patch({ signatures: [] }, {})).toMatchObject({ status: 503 })
  expect(refunds.asked).toHaveLength(2)
})

test("a stranger's dust does not let a stranger cancel", async () => {
  await mine('source', deposit('dust', 1_000n))
  await refused(403, 'forbidden', /order_token/, { signatures: [] }, {})
  expect(refunds.asked).toEqual([])
})

test('a missing refund address can be set once, with the token', async () => {
  const body = orderBody(btc, wbtc)
  await make({ ...body, source: { ...body.source, owner: undefined } })
  await mine('source', deposit('a', 900_000n))
  await refused(400, 'bad_request', /the refund address is not known/)
  await refused(403, 'forbidden', /order_token/, { signatures: [], address: aliceScript }, {})
  expect(refunds.asked).toEqual([])
  const { onInstantRefund } = refunds.service.solver
  refunds.service.solver.onInstantRefund = () => ({ status: 409, body: { code: 'conflict', message: 'not now' } })
  await refused(409, 'conflict', /not now/, { signatures: [], address: aliceScript, order_token: refunds.token })
  expect((await findOrder(refunds.service.db, refunds.order.id))?.order.source.userAddress).toBe(null)
  refunds.service.solver.onInstantRefund = onInstantRefund
  expect(await patch({ signatures: [], address: aliceScript, order_token: refunds.token })).toMatchObject({ status: 503 })
  expect(await granted()).toMatchObject([{ to: aliceScript }])
  expect((await findOrder(refunds.service.db, refunds.order.id))?.order.source.userAddress).toBe(aliceScript)
  const moved = await patch({ signatures: [], address: 'fake1malloryaaa', order_token: refunds.token })
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
    expect(refunds.asked).toEqual([])
  })

  test('on a source chain without instant refunds', async () => {
    await make(orderBody(wbtc, btc))
    const client = refunds.service.chains.get('ethereum_localnet')
    const { instantRefund } = client ?? {}
    Object.assign(client ?? {}, { instantRefund: undefined })
    await refused(400, 'bad_request', /not supported on ethereum_localnet/)
    expect(await hashes()).toMatchObject({ status: 400, body: { code: 'bad_request' } })
    Object.assign(client ?? {}, { instantRefund })
  })

  test('by another app', async () => {
    await mine('source', deposit('a', 900_000n))
    await refused(403, 'forbidden', /another app/, { signatures: [] }, { 'service-app-id': refunds.service.otherAppId })
    expect(refunds.asked).toEqual([])
  })

  test('without a deposit that is mined and unspent, or while it pays for the order', async () => {
    await refused(409, 'conflict', /no deposit was seen/)
    await mine('source', deposit('exact', refunds.order.source.terms.amount))
    await mine('destination', eventsOf(refunds.order.destination).initiated('0xlock'))
    await refused(409, 'conflict', /order is counterparty_initiated, and the deposit pays for it/)
    await mine('destination', eventsOf(refunds.order.destination).redeemed('0xredeem', '0'.repeat(64)))
    await mine('source', { ...eventsOf(refunds.order.source).redeemed('redeem', '0'.repeat(64)), deposit: 'exact' })
    await refused(409, 'conflict', /nothing to refund: the order is counterparty_redeemed/)
    expect(refunds.asked).toEqual([])
  })

  test('after a redeem with the secret was signed', async () => {
    await mine('source', deposit('a', 900_000n))
    await markSecretSigned(refunds.service.db, refunds.order.id)
    await refused(409, 'conflict', /cannot be refunded instantly/)
    expect(refunds.asked).toEqual([])
  })

  test('when the deposit is uneconomic', async () => {
    await mine('source', deposit('dust', 600n))
    Object.assign(refunds.service.chains.get('bitcoin_regtest') ?? {}, {
      failure: new ChainFailure('uneconomic', 'no deposit covers its fee'),
    })
    await refused(409, 'conflict', /uneconomic.* refunded after its timelock/)
  })

  test('when the solver pays for the order', async () => {
    await mine('source', deposit('a', 900_000n))
    refunds.service.solver.onInstantRefund = () => ({ status: 409, body: { code: 'conflict', message: 'the solver pays for this order' } })
    await refused(409, 'conflict', /the solver pays for this order/)
  })

  test('when the chain does not answer what the signature is compared with: the solver did nothing wrong', async () => {
    await make(orderBody(wbtc, btc))
    await mine('source', deposit('exact', refunds.order.source.terms.amount))
    const { chains, solver, secondSolver } = refunds.service
    const { source, solverId } = refunds.order
    const asked = solverId === 'first' ? solver : secondSolver
    asked.onInstantRefund = (_id, request) => {
      Object.assign(chains.get(source.chain) ?? {}, { failure: new ChainFailure('unreachable', 'silent') })
      return { status: 200, body: { ...(signed(request) as { body: object }).body, solver_id: solverId } }
    }
    await refused(503, 'chain_unavailable', /a chain could not be reached/)
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
    refunds.service.solver.onInstantRefund = (_id, request) => answer(request)
    await refused(503, 'chain_unavailable', /solver of this order did not give its signature/)
  })
})

test('GET /orders/{id}/funding repeats the answer of POST /orders without the token, for the app that made the order', async () => {
  const funding = (id: string, headers: Call['headers'] = {}) => refunds.service.call('GET', `/v2/orders/${id}/funding`, { headers })
  expect((await funding(refunds.order.id)).body).toEqual({
    status: 'Ok',
    error: null,
    result: { order_id: refunds.order.id, to: refunds.order.source.swapId, amount: '1000000' },
  })
  expect(await funding(refunds.order.id, { 'service-app-id': refunds.service.otherAppId })).toMatchObject({
    status: 403,
    body: { code: 'forbidden' },
  })
  expect(await funding('0'.repeat(64))).toMatchObject({ status: 404 })
  const made = (await refunds.service.call('POST', '/v2/orders', { body: orderBody(wbtc, btc) })).body.result as { order_id: string }
  const { order_token: _, ...rest } = made as { order_id: string; order_token?: string }
  expect((await funding(made.order_id)).body.result).toEqual(rest)
})
